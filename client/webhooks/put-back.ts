import { ApiError } from '../../api/speech-api.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { WebhookRecord } from '../../ledger/webhook-methods.ts';
import { changeProfile, clearWebhook, isSame, type ProfileChange } from '../account/change-profile.ts';
import { readProfilePatiently, realmOf, type OpenApi } from '../open-api.ts';

/**
 * What became of an account's webhook once nobody here used it any more. `back`: the earlier address, or none, is there
 * again. `others`: somebody else has changed it, so it stays. `unknown`: nobody knows what was there, so ours stays.
 * `stays`: the API does not take the earlier one. `away`: the API could not be asked; the next start tries again.
 */
export type PutBack = 'back' | 'others' | 'unknown' | 'stays' | 'away';

type WebhookSet = NonNullable<WebhookRecord['set']>;

/** Requests until the API counts as away. */
const MOST_TRIES = 3;

/** Puts back what was there before, unless somebody else has changed the webhook meanwhile. Spends nothing. */
export async function putBack(open: OpenApi, { address, before }: WebhookSet, signal: AbortSignal): Promise<PutBack> {
  for (let tries = 0; tries < MOST_TRIES && !signal.aborted; tries++) {
    try {
      const { webhookUrl } = await readProfilePatiently(open.api, signal);
      if (webhookUrl !== undefined && !isSame(webhookUrl, address)) return tries === 0 ? 'others' : 'back';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      continue;
    }
    if (before.type === 'unknown') return 'unknown';
    const { url } = before;
    const change =
      url === null ? await clearWebhook(open, signal) : await changeProfile(open, { webhookUrl: url }, signal);
    const end = endOf(change);
    if (end !== undefined) return end;
  }
  return 'away';
}

function endOf({ fields }: ProfileChange): PutBack | undefined {
  switch (fields[0]?.result) {
    case 'set':
    case 'unseen':
      return 'back';
    case 'refused':
    case 'ignored':
      return 'stays';
    default:
      return undefined;
  }
}

/** A webhook that a process which died had set. */
export interface Leftover {
  readonly end: PutBack;
  readonly before: WebhookSet['before'];
}

/**
 * Puts the webhook back that a process of this ledger had set and left behind; undefined if there is none. `owner`: on
 * whose behalf, for the record. Spends nothing.
 */
export async function putLeftoverBack(
  ledger: Pick<Ledger, 'webhookOf' | 'takeWebhook' | 'leaveWebhook'>,
  open: OpenApi,
  owner: string,
  signal: AbortSignal,
): Promise<Leftover | undefined> {
  const account = realmOf(open);
  const found = await ledger.webhookOf(account);
  if (found === undefined || found.isAlive) return undefined;
  const taken = await ledger.takeWebhook(account, owner);
  if (taken.type === 'taken' || taken.before === undefined) return undefined;
  const { set } = taken.before;
  const end = set === null ? undefined : await putBack(open, set, signal);
  // Else the next one tries again.
  if (end !== 'away') await ledger.leaveWebhook(account, owner);
  return set === null || end === undefined ? undefined : { end, before: set.before };
}
