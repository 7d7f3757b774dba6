import { setTimeout as sleep } from 'node:timers/promises';
import { createSpeechApi } from '../api/create-api.ts';
import { ApiError, type Profile, type SpeechApi } from '../api/speech-api.ts';
import { realmDifference, type Realm } from '../contract/names.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { ExitError, messageOf } from './exit-error.ts';
import { rememberConfirmed } from './confirmed-address.ts';
import { AddressUnconfirmed, readApiAccess, type ApiAccess, type Settings } from './settings.ts';
import { askYesNo } from './terminal/ask.ts';
import { voxbatchVersion } from './version.ts';

/** The API, with the account that the token belongs to. */
export interface OpenApi {
  readonly api: SpeechApi;
  readonly profile: Profile;
}

/** What of a realm is known without a ledger. */
export function realmOf({ api, profile }: OpenApi): Pick<Realm, 'apiUrl' | 'account'> {
  return { apiUrl: api.baseUrl, account: profile.userId };
}

/** A batch of another API or account cannot be worked on with this token: throws {@link ExitError} `usage`. */
export function requireSameRealm(batch: BatchRecord, open: OpenApi): void {
  const here = realmOf(open);
  const differs = realmDifference(batch, here);
  if (differs === undefined) return;
  const words = {
    api: `ran against ${batch.apiUrl}, and this is ${here.apiUrl}. Set VOXBATCH_API_URL, or use --api-url`,
    account: `belongs to account ${batch.account}, and this token is of ${here.account}. Set VOXBATCH_API_TOKEN`,
  }[differs];
  throw new ExitError('usage', `Batch "${batch.name}" ${words}. Nothing was changed, nothing was spent.`);
}

/** Flags that say where the API is, and whether a person may be asked. */
export interface ApiFlags {
  readonly apiUrl?: string;
  /** Nobody is asked. It does not confirm an address. */
  readonly yes?: boolean;
}

/** Address and token. On a terminal, an address that only a config file names is asked about, once per token and origin. */
async function confirmedAccess(settings: Settings, flags: ApiFlags): Promise<ApiAccess> {
  try {
    return readApiAccess(settings, flags);
  } catch (error) {
    const canAsk = flags.yes !== true && process.stdin.isTTY && process.stderr.isTTY;
    if (!(error instanceof AddressUnconfirmed) || !canAsk) throw error;
    const { use } = error;
    const { origin } = new URL(use.baseUrl);
    if (!(await askYesNo(`A config file names the API at ${origin}. Send your token there?`))) throw error;
    rememberConfirmed(settings.env, use);
    return use;
  }
}

/** Pauses before the profile is read again, ms. */
const PAUSES_MS = [500, 1_500];

/** Opens the API and reads the profile, which proves address and token and names the account. Spends nothing. */
export async function openApi(settings: Settings, flags: ApiFlags): Promise<OpenApi> {
  const access = await confirmedAccess(settings, flags);
  const api = createApi(access);
  try {
    return { api, profile: await readProfile(api) };
  } catch (error) {
    api.close();
    if (!(error instanceof ApiError)) throw error;
    throw new ExitError('api', `${adviceFor(error, access.baseUrl)} Nothing was spent.`, { cause: error });
  }
}

/**
 * Runs `work` with a function that opens the API on first use, like {@link openApi}. Closes the API afterwards.
 */
export async function withApi<T>(
  settings: Settings,
  flags: ApiFlags,
  work: (open: () => Promise<OpenApi>) => Promise<T>,
): Promise<T> {
  let opened: OpenApi | undefined;
  try {
    return await work(async () => (opened ??= await openApi(settings, flags)));
  } finally {
    opened?.api.close();
  }
}

/** Creates the API client with this access. Sends nothing. */
export function createApi(access: ApiAccess): SpeechApi {
  try {
    const userAgent = `voxbatch/${voxbatchVersion()}`;
    return createSpeechApi({ ...access, userAgent });
  } catch (error) {
    // The address was read before, so it is the token.
    const advice = 'Set VOXBATCH_API_TOKEN to a token of your account. Nothing was spent.';
    throw new ExitError('api', `${messageOf(error)} ${advice}`, { cause: error });
  }
}

async function readProfile(api: SpeechApi): Promise<Profile> {
  for (const pause of PAUSES_MS) {
    try {
      return await api.readProfile();
    } catch (error) {
      const heals =
        error instanceof ApiError && error.failure.class !== 'BadToken' && error.failure.class !== 'BadRequest';
      if (!heals) throw error;
      await sleep(pause);
    }
  }
  return api.readProfile();
}

function adviceFor(error: ApiError, baseUrl: string): string {
  const { failure } = error;
  const words = /[.!?]$/.test(failure.message) ? failure.message : `${failure.message}.`;
  switch (failure.class) {
    case 'BadToken':
      return `The API at ${baseUrl} refuses the token: ${words} Set VOXBATCH_API_TOKEN to a token of this service.`;
    case 'NotSent':
      return `The API at ${baseUrl} cannot be reached: ${words} Check VOXBATCH_API_URL and the network, then run the same command again.`;
    default:
      return `The API at ${baseUrl} does not return the account's profile: ${words} Try again later, or check VOXBATCH_API_URL.`;
  }
}
