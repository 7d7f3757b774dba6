import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api/speech-api.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  changeProfile,
  clearWebhook,
  isRefusal,
  isSameValue,
  type ProfileChange,
} from '../account/account-functions.ts';
import { readProfilePatiently, realmOf, type ConnectedApi } from '../connect-api.ts';
import type { RestoreResult } from './webhook-options.ts';
import { isOurs, type WebhookSet } from './webhook-url.ts';

/** Attempts before the API counts as unreachable. */
const MAX_TRIES = 3;
/** Pause between attempts, ms. */
const PAUSE_MS = 500;

/**
 * Restores the account's earlier webhook, unless somebody else has changed it in the meantime. Returns `away` if the
 * API gave no usable answer to {@link MAX_TRIES} attempts, or the signal aborted. Spends nothing.
 */
export async function restoreWebhook(open: ConnectedApi, set: WebhookSet, signal: AbortSignal): Promise<RestoreResult> {
  const { before } = set;
  for (let tries = 0; tries < MAX_TRIES && !signal.aborted; tries++) {
    try {
      const { webhookUrl } = await readProfilePatiently(open.api, signal);
      if (webhookUrl !== undefined && !isOurs(set, webhookUrl)) {
        const isBack = tries > 0 || (before.type === 'known' && isSameValue(webhookUrl, before.url));
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
    const end = resultOf(change);
    if (end !== undefined) return end;
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return 'away';
}

/** Returns the result of an update of the profile; undefined if it should be retried. */
function resultOf(change: ProfileChange): RestoreResult | undefined {
  const result = change.fields[0]?.result;
  if (result === 'set' || result === 'unseen') return 'back';
  return isRefusal(change) ? 'stays' : undefined;
}

/** Returns whether the record of what to restore is still needed, by another process or later. */
export function isStillNeeded(end: RestoreResult): boolean {
  return end === 'away' || end === 'stays';
}

/** A webhook left behind by a dead process. */
export interface Leftover {
  readonly end: RestoreResult;
  readonly before: WebhookSet['before'];
  /** The last URL that it had set. */
  readonly address: string;
}

/** Options of {@link restoreLeftover}. */
export interface LeftoverRequest {
  /** The restoring process, for the record. */
  readonly owner: string;
  /** A URL that is left as it is. */
  readonly except?: string | undefined;
  /** Called with the record of who uses the webhook, if anybody does. */
  readonly onRecord?: (record: Awaited<ReturnType<Ledger['webhookOf']>>) => void;
}

/**
 * Restores the webhook that a dead process of this ledger left behind; undefined if there is none, or if it had set
 * `except`. Spends nothing.
 */
export async function restoreLeftover(
  ledger: Ledger,
  open: ConnectedApi,
  { owner, except, onRecord }: LeftoverRequest,
  signal: AbortSignal,
): Promise<Leftover | undefined> {
  const account = realmOf(open);
  const found = await ledger.webhookOf(account);
  onRecord?.(found);
  if (found === undefined || found.isAlive || (except !== undefined && found.set?.address === except)) return undefined;
  const taken = await ledger.takeWebhook(account, owner);
  if (taken.type === 'taken' || taken.before === undefined) return undefined;
  const { set } = taken.before;
  const end = set === null ? undefined : await restoreWebhook(open, set, signal);
  // Another process may retry, even while this one is alive.
  if (end !== undefined && isStillNeeded(end)) await ledger.releaseWebhook(account, owner);
  else await ledger.forgetWebhook(account, owner);
  return set === null || end === undefined ? undefined : { end, before: set.before, address: set.address };
}
