import type { Account } from '../../contract/names.ts';
import { messageOf } from '../../contract/message-of.ts';
import { ApiError, type Profile } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import { snakeName } from '../../contract/snake-case.ts';
import { apiProblem, readProfilePatiently, type ConnectedApi, createApi } from '../connect-api.ts';
import { refuseOption } from '../problem.ts';
import type { Session } from '../session.ts';
import type { ApiAccess } from '../settings.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '../../contract/failures.ts';

/** Calls on the token's account. All are free and throw {@link VoxbatchError}. */
export interface AccountFunctions {
  /** The current account and balance. Its `webhookUrl` may hold a secret. */
  profile(): Promise<Profile>;
  /**
   * Asks the API to change profile fields, then reads the profile back to see which were `set`: the API may ignore or
   * refuse some. `fields` needs at least one entry; values are sent as JSON.
   */
  setProfile(fields: Readonly<Record<string, unknown>>): Promise<ProfileChange>;
  /**
   * Sets the account's webhook URL (http or https) in the same way; null removes it, if the API allows that. While
   * batches run with the option `webhook`, the URL points to voxbatch.
   */
  setWebhook(url: string | null): Promise<ProfileChange>;
}

/** Creates the functions for the account of a session's token. */
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
      // The URL's path may be a secret.
      if (!isWebAddress(url)) refuseOption('url', 'an http or https URL, or null', 'something else');
      return changeProfile(await session.api(), { webhookUrl: url });
    },
  };
}

/** Whether the URL can receive webhooks: http or https. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url);
}

/** The account's API credits, or why they are unknown. */
export type Balance = { readonly credits: number } | { readonly why: string };

/** The token's account, undefined if unknown, and its balance. */
export interface AccountRead {
  readonly account: Account | undefined;
  readonly balance: Balance;
}

/** Timeout for a read that is only for display, ms. */
const READ_TIMEOUT_MS = 5_000;

/**
 * Reads the account and its API credits from the API, without retries. Never throws; spends nothing.
 *
 * @param access returns the API's address and token; if it throws, its error explains the missing balance
 */
export async function readAccount(access: () => ApiAccess): Promise<AccountRead> {
  const timeout = AbortSignal.timeout(READ_TIMEOUT_MS);
  try {
    const api = await createApi(access());
    try {
      const { userId, quotaRemaining } = await api.readProfile(timeout);
      return {
        account: { apiUrl: api.baseUrl, account: userId },
        balance: quotaRemaining === undefined ? { why: 'the profile does not state it' } : { credits: quotaRemaining },
      };
    } finally {
      api.close();
    }
  } catch (error) {
    return { account: undefined, balance: { why: whyUnknown(error, timeout) } };
  }
}

/** Why the balance is unknown, as the end of a sentence. */
function whyUnknown(error: unknown, timeout: AbortSignal): string {
  if (timeout.aborted) return `the API did not answer within ${String(READ_TIMEOUT_MS / 1000)} s`;
  if (error instanceof ApiError) return error.failure.message;
  // Only the first sentence: the others advise commands that need the API.
  return messageOf(error).split('. ')[0] ?? '';
}

/**
 * Outcome of a profile field's update:
 *
 * - `set`: the profile shows the new value.
 * - `ignored`: the API accepted the update, but the profile shows another value.
 * - `unseen`: the API accepted the update, but the profile does not show the field, so the result is unknown.
 * - `refused`: the API rejected the update.
 * - `not-set`: no usable answer arrived, and the profile shows another value.
 * - `lost`: no usable answer arrived, and the profile does not show the field, so the result is unknown.
 */
export type FieldResult = 'set' | 'ignored' | 'unseen' | 'refused' | 'not-set' | 'lost';

/** A profile field after an update. */
export interface ChangedField {
  readonly name: string;
  readonly wanted: unknown;
  readonly result: FieldResult;
  /** The profile's current value; absent if it does not show the field or could not be read. */
  readonly shown?: unknown;
}

/** The result of an update of the profile. */
export interface ProfileChange {
  readonly fields: readonly ChangedField[];
  /** Why the API did not accept the update. */
  readonly failure?: Failure;
}

/**
 * Asks the API once to change profile fields, then reads the profile back to see the effect: the API may ignore or
 * refuse fields, and its answer may be lost. Spends nothing. `signal` aborts both requests.
 */
export async function changeProfile(
  { api }: ConnectedApi,
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

/** Values that may remove the account's webhook. The API documents none, so each is tried. */
const CLEARING_VALUES = [null, ''] as const;

/** Removes the account's webhook: tries each candidate value until the API neither refuses nor ignores it. */
export async function clearWebhook(open: ConnectedApi, signal?: AbortSignal): Promise<ProfileChange> {
  let change: ProfileChange = { fields: [] };
  for (const webhookUrl of CLEARING_VALUES) {
    change = await changeProfile(open, { webhookUrl }, signal);
    if (!isRefusal(change)) break;
  }
  return change;
}

/** Whether the API refuses or ignores the value itself, as opposed to being busy or refusing the token. */
export function isRefusal({ fields, failure }: ProfileChange): boolean {
  return fields.some(({ result }) => result === 'ignored' || (result === 'refused' && failure?.class === 'BadRequest'));
}

/** Awaits a call and returns the API's failure; undefined if the call succeeded. Other errors are thrown. */
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
  if (shown !== undefined && isSameValue(wanted, shown)) return 'set';
  if (failure === undefined) return shown === undefined ? 'unseen' : 'ignored';
  // After `ServiceDown`, the API may have applied the update all the same.
  if (failure.class !== 'ServiceDown') return 'refused';
  return shown === undefined ? 'lost' : 'not-set';
}

/** The profile's value of a field, under its own name or the API's alternative spelling. */
function shownIn(profile: Profile, name: string): unknown {
  if (name === 'webhookUrl') return profile.webhookUrl;
  const { members } = profile;
  const names = [name, snakeName(name)];
  const found = names.find((one) => Object.hasOwn(members, one));
  return found === undefined ? undefined : members[found];
}

/** Whether two field values are equivalent: a URL may come back normalized, and an empty text means none, like null. */
export function isSameValue(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => {
    if (value === '') return null;
    return typeof value === 'string' && URL.canParse(value) ? new URL(value).href : value;
  };
  return isDeepStrictEqual(plain(one), plain(other));
}
