import { randomBytes } from 'node:crypto';
import type { WebhookBefore, WebhookRecord } from '../../ledger/webhooks/webhooks.ts';
import { isSame } from '../account/change-profile.ts';

export type WebhookSet = NonNullable<WebhookRecord['set']>;

/** Bytes of randomness in the secret path. */
const SECRET_BYTES = 24;
/** How the last segment begins of every address that a voxbatch sets, whatever its records are. */
const MARK = 'voxbatch-';
const MARKED = /\/voxbatch-[\w-]{32}\/*$/;

/** A last segment that nobody can guess, and that another voxbatch knows for one of a voxbatch. */
export function newSecret(): string {
  return MARK + randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether an address is one that this ledger's processes have set, and not put back since. */
export function isOurs({ address, earlier }: WebhookSet, url: string | null): boolean {
  return [address, ...earlier].some((one) => isSame(url, one));
}

/** What a process found in the profile before it set anything: what to put back, or the address of another voxbatch. */
export type Found = WebhookBefore | { readonly type: 'foreign'; readonly url: string };

/**
 * What the account had before this ledger's processes used its webhook. `shown`: by the profile; undefined: it does not
 * show the field. `leftover`: what a process that died had set. An address of a voxbatch that is not on record here belongs
 * to one with other records, and is not to be put back: that one may end any time, and then nobody is there.
 */
export function foundIn(shown: string | null | undefined, leftover: WebhookSet | null): Found {
  if (leftover !== null && (shown === undefined || isOurs(leftover, shown))) return leftover.before;
  if (shown === undefined) return { type: 'unknown' };
  return shown !== null && MARKED.test(shown) ? { type: 'foreign', url: shown } : { type: 'known', url: shown };
}
