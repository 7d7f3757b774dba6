import { randomBytes } from 'node:crypto';
import type { WebhookBefore, WebhookRecord } from '../../ledger/webhooks/webhooks.ts';
import { isSameValue } from '../account/account-functions.ts';

/** The record of a webhook URL that a process has set: the URL, earlier ones of ours, and what to restore. */
export type WebhookSet = NonNullable<WebhookRecord['set']>;

/** Bytes of randomness in the secret path. */
const SECRET_BYTES = 24;
/** Prefix of the last segment of every webhook URL that any voxbatch sets. */
const PREFIX = 'voxbatch-';
const OWN_URL = /\/voxbatch-[\w-]{32}\/*$/;

/** Returns a new unguessable last segment, which other voxbatch installations recognize as voxbatch's. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns whether the profile's URL was set by a process of this ledger, which has recorded `set`. */
export function isOurs({ address, earlier }: WebhookSet, url: string | null): boolean {
  return [address, ...earlier].some((ours) => isSameValue(url, ours));
}

/** The profile's webhook before a process set its own: what to restore, or the URL of another voxbatch. */
export type Found = WebhookBefore | { readonly type: 'foreign'; readonly url: string };

/**
 * Returns the account's webhook before this ledger's processes used it. `shown`: the URL in the profile, undefined if
 * it does not show the field. `leftover`: the URL left by a dead process. A voxbatch URL that is not on record here
 * belongs to a voxbatch with other records. It must not be restored: that voxbatch may end at any time and leave nobody
 * listening.
 */
export function foundIn(shown: string | null | undefined, leftover: WebhookSet | null): Found {
  if (leftover !== null && (shown === undefined || isOurs(leftover, shown))) return leftover.before;
  if (shown === undefined) return { type: 'unknown' };
  return shown !== null && OWN_URL.test(shown) ? { type: 'foreign', url: shown } : { type: 'known', url: shown };
}
