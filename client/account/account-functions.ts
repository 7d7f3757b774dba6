import { ApiError, type Profile } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import { withoutPath } from '../../contract/url-scheme.ts';
import { apiProblem, readProfilePatiently, type OpenApi, createApi } from '../open-api.ts';
import { refuseOption, messageOf } from '../problem.ts';
import type { Session } from '../session.ts';
import type { Account } from '../../ledger/voices/voice-users.ts';
import type { ApiAccess } from '../settings.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '../../contract/failures.ts';

/** The account of the token. All are free, and throw {@link VoxbatchError}. */
export interface AccountFunctions {
  /** The account and its balance, as the API shows them now. Its `webhookUrl` may hold a secret. */
  profile(): Promise<Profile>;
  /**
   * Asks the API to change fields of the profile, and reads it again to see which were `set`: it may ignore or refuse some.
   * `fields`: at least one; values are sent as JSON.
   */
  setProfile(fields: Readonly<Record<string, unknown>>): Promise<ProfileChange>;
  /**
   * Sets the address of the account's webhooks (http or https), in the same way. Null takes it away, if the API has a way.
   * While batches are worked on with the option `webhook`, the address is voxbatch's own.
   */
  setWebhook(url: string | null): Promise<ProfileChange>;
}

/** Makes them. */
export function accountFunctions(session: Session): AccountFunctions {
  return {
    profile: async () => {
      const { api } = await session.api();
      try {
        return await readProfilePatiently(api);
      } catch (error) {
        throw error instanceof ApiError ? apiProblem(error, api.baseUrl) : error;
      }
    },
    setProfile: async (fields) => {
      if (Object.keys(fields).length === 0) refuseOption('fields', 'at least one field', 'none');
      return changeProfile(await session.api(), fields);
    },
    setWebhook: async (url) => {
      if (url === null) return clearWebhook(await session.api());
      // The path of an address may be a secret.
      if (!isWebAddress(url)) refuseOption('url', 'an http or https URL, or null', 'something else');
      return changeProfile(await session.api(), { webhookUrl: url });
    },
  };
}

/** The account of a token, to be shown. */
export interface ProfileView {
  readonly userId: string;
  readonly tier: string | null;
  /** What batches use. */
  readonly apiCredits: number | null;
  readonly websiteCredits: number | null;
  /** Where its webhooks go, without the path, which may be a secret; null: nowhere; absent: the API does not tell. */
  readonly webhook?: string | null;
  /** Address of the API. */
  readonly api: string;
}

/** An account, to be shown. */
export function profileView({ api, profile }: OpenApi): ProfileView {
  const { userId, tier = null, quotaRemaining = null, credits = null, webhookUrl } = profile;
  const webhook = typeof webhookUrl === 'string' ? withoutPath(webhookUrl) : webhookUrl;
  return {
    userId,
    tier,
    apiCredits: quotaRemaining,
    websiteCredits: credits,
    ...defined({ webhook }),
    api: api.baseUrl,
  };
}

/** Whether webhooks can be sent there. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url);
}

/** The account's API credits, or why they are unknown. */
export type Balance = { readonly credits: number } | { readonly why: string };

/** The account of the token, undefined if it is unknown, and its balance. */
export interface AccountRead {
  readonly account: Account | undefined;
  readonly balance: Balance;
}

/** Nobody waits longer than this for what is only shown, ms. */
const PATIENCE_MS = 5_000;

/**
 * Reads the account and the balance that batches consume from the API, once. Never throws; spends nothing.
 *
 * @param access where the API is; if it throws, that is why nothing is known
 */
export async function readAccount(access: () => ApiAccess): Promise<AccountRead> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const api = await createApi(access());
    try {
      const { userId, quotaRemaining } = await api.readProfile(patience);
      return {
        account: { apiUrl: api.baseUrl, account: userId },
        balance: quotaRemaining === undefined ? { why: 'the profile does not state it' } : { credits: quotaRemaining },
      };
    } finally {
      api.close();
    }
  } catch (error) {
    return { account: undefined, balance: { why: whyNot(error, patience) } };
  }
}

function whyNot(error: unknown, patience: AbortSignal): string {
  if (patience.aborted) return `the API did not answer within ${String(PATIENCE_MS / 1000)} s`;
  if (error instanceof ApiError) return error.failure.message;
  // The rest of the message is advice for commands that cannot do without the API.
  return messageOf(error).split('. ')[0] ?? '';
}

/**
 * What became of a field of the profile:
 *
 * - `set`: the profile shows the new value.
 * - `ignored`: the API said yes, and the profile shows another value.
 * - `unseen`: the API said yes, and the profile does not show the field: nobody can tell.
 * - `refused`: the API said no.
 * - `not-set`: no usable answer came, and the profile shows another value.
 * - `lost`: no usable answer came, and the profile does not show the field: nobody can tell.
 */
export type FieldResult = 'set' | 'ignored' | 'unseen' | 'refused' | 'not-set' | 'lost';

/** A field of the profile after an update. */
export interface ChangedField {
  readonly name: string;
  readonly wanted: unknown;
  readonly result: FieldResult;
  /** What the profile shows now; absent if it does not show the field, or could not be read. */
  readonly shown?: unknown;
}

/** The result of an update of the profile. */
export interface ProfileChange {
  readonly fields: readonly ChangedField[];
  /** Why the API did not say yes. */
  readonly failure?: Failure;
}

/** Failures after which the API may have done what it was asked. */
const UNSURE: readonly Failure['class'][] = ['ServiceDown'];

/**
 * Asks the API, once, to change fields of the profile, and reads the profile again to see what it did: it may ignore or
 * refuse fields, and its answer may be lost. Spends nothing. `signal` aborts both.
 */
export async function changeProfile(
  { api }: OpenApi,
  fields: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<ProfileChange> {
  const failure = await failureOf(api.updateProfile(fields, signal));
  const profile = await readProfilePatiently(api, signal).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  const changed = Object.entries(fields).map(([name, wanted]): ChangedField => {
    const shown = profile === undefined ? undefined : shownIn(profile, name);
    return { name, wanted, result: resultOf(wanted, shown, failure), ...defined({ shown }) };
  });
  return { fields: changed, ...defined({ failure }) };
}

/** How the account's webhook can be taken away. The contract shows no way, so each is tried. */
const NOTHINGS = [null, ''] as const;

/** Asks the API to send webhooks nowhere, in each of the ways that might do it, until one is not a value that it refuses. */
export async function clearWebhook(open: OpenApi, signal?: AbortSignal): Promise<ProfileChange> {
  let change: ProfileChange = { fields: [] };
  for (const webhookUrl of NOTHINGS) {
    change = await changeProfile(open, { webhookUrl }, signal);
    if (!isRefusal(change)) break;
  }
  return change;
}

/** Whether the API does not take the value itself, also later: not if it is busy, or does not take the token. */
export function isRefusal({ fields, failure }: ProfileChange): boolean {
  return fields.some(({ result }) => result === 'ignored' || (result === 'refused' && failure?.class === 'BadRequest'));
}

async function failureOf(work: Promise<void>): Promise<Failure | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.failure;
  }
}

function resultOf(wanted: unknown, shown: unknown, failure: Failure | undefined): FieldResult {
  if (shown !== undefined && isSame(wanted, shown)) return 'set';
  if (failure === undefined) return shown === undefined ? 'unseen' : 'ignored';
  if (!UNSURE.includes(failure.class)) return 'refused';
  return shown === undefined ? 'lost' : 'not-set';
}

/** A field as the profile shows it, under its own name or in the API's other spelling. */
function shownIn(profile: Profile, name: string): unknown {
  if (name === 'webhookUrl') return profile.webhookUrl;
  const { members } = profile;
  const names = [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  const found = names.find((one) => Object.hasOwn(members, one));
  return found === undefined ? undefined : members[found];
}

/** Whether two values of a field mean the same. An address may come back in another spelling. */
export function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => {
    if (value === '') return null;
    return typeof value === 'string' && URL.canParse(value) ? new URL(value).href : value;
  };
  return isDeepStrictEqual(plain(one), plain(other));
}
