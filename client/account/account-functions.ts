import { ApiError, type Profile } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import { withoutPath } from '../../contract/url-scheme.ts';
import { apiProblem, readProfilePatiently, type OpenApi, createApi } from '../open-api.ts';
import { refuseOption } from '../refuse-option.ts';
import type { Session } from '../session.ts';
import { changeProfile, clearWebhook, type ProfileChange } from './change-profile.ts';
import type { Account } from '../../ledger/voices/voice-users.ts';
import { messageOf } from '../problem.ts';
import type { ApiAccess } from '../settings.ts';

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
    const api = createApi(access());
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
