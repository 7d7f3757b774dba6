import { isDeepStrictEqual } from 'node:util';
import { ApiError, type Profile } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import type { Failure } from '../../contract/failures.ts';
import { readProfilePatiently, type OpenApi } from '../open-api.ts';

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
  { api }: Pick<OpenApi, 'api'>,
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
export async function clearWebhook(open: Pick<OpenApi, 'api'>, signal?: AbortSignal): Promise<ProfileChange> {
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
