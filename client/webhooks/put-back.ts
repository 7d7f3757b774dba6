import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api/speech-api.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { changeProfile, clearWebhook, isRefusal, isSame, type ProfileChange } from '../account/change-profile.ts';
import { readProfilePatiently, realmOf, type OpenApi } from '../open-api.ts';
import { isOurs, type WebhookSet } from './own-address.ts';

/**
 * What became of an account's webhook once nobody here used it any more. `back`: the earlier address, or none, is there
 * again. `others`: somebody else has changed it, so it stays. `unknown`: nobody knows what was there, so ours stays.
 * `stays`: the API does not take the earlier one. `away`: the API gave no usable answer, or said no for another reason (too
 * many requests, the token, the credits), and it is tried again.
 */
export type PutBack = 'back' | 'others' | 'unknown' | 'stays' | 'away';

/** Requests until the API counts as away. */
const MOST_TRIES = 3;
/** Pause before the next one, ms. */
const PAUSE_MS = 500;

/** Puts back what was there before, unless somebody else has changed the webhook meanwhile. Spends nothing. */
export async function putBack(open: OpenApi, set: WebhookSet, signal: AbortSignal): Promise<PutBack> {
  const { before } = set;
  for (let tries = 0; tries < MOST_TRIES && !signal.aborted; tries++) {
    try {
      const { webhookUrl } = await readProfilePatiently(open.api, signal);
      if (webhookUrl !== undefined && !isOurs(set, webhookUrl)) {
        const isBack = tries > 0 || (before.type === 'known' && isSame(webhookUrl, before.url));
        return isBack ? 'back' : 'others';
      }
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
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return 'away';
}

function endOf(change: ProfileChange): PutBack | undefined {
  const result = change.fields[0]?.result;
  if (result === 'set' || result === 'unseen') return 'back';
  return isRefusal(change) ? 'stays' : undefined;
}

/** Whether the record of what is to be put back is still needed after this: for another process, or a later time. */
export function isStillNeeded(end: PutBack): boolean {
  return end === 'away' || end === 'stays';
}

/** A webhook that a process which died had set. */
export interface Leftover {
  readonly end: PutBack;
  readonly before: WebhookSet['before'];
  /** The last address that it had set. */
  readonly address: string;
}

/** The part of the ledger that is about webhooks. */
export type WebhookLedger = Pick<Ledger, 'webhookOf' | 'takeWebhook' | 'leaveWebhook' | 'releaseWebhook'>;

/**
 * Puts the webhook back that a process of this ledger had set and left behind; undefined if there is none, or if it had set
 * `except`. `owner`: on whose behalf, for the record. Spends nothing.
 */
export async function putLeftoverBack(
  ledger: WebhookLedger,
  open: OpenApi,
  { owner, except }: { readonly owner: string; readonly except?: string | undefined },
  signal: AbortSignal,
): Promise<Leftover | undefined> {
  const account = realmOf(open);
  const found = await ledger.webhookOf(account);
  if (found === undefined || found.isAlive || (except !== undefined && found.set?.address === except)) return undefined;
  const taken = await ledger.takeWebhook(account, owner);
  if (taken.type === 'taken' || taken.before === undefined) return undefined;
  const { set } = taken.before;
  const end = set === null ? undefined : await putBack(open, set, signal);
  // The next one tries again, also while this process lives.
  if (end !== undefined && isStillNeeded(end)) await ledger.releaseWebhook(account, owner);
  else await ledger.leaveWebhook(account, owner);
  return set === null || end === undefined ? undefined : { end, before: set.before, address: set.address };
}
