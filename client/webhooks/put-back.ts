import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api/speech-api.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { changeProfile, clearWebhook, isRefusal, isSame, type ProfileChange } from '../account/account-functions.ts';
import { readProfilePatiently, realmOf, type OpenApi } from '../open-api.ts';
import { randomBytes } from 'node:crypto';
import type { WebhookBefore, WebhookRecord } from '../../ledger/webhooks/webhooks.ts';
import type { PutBack, WebhookNews } from './webhook-options.ts';

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
function isOurs({ address, earlier }: WebhookSet, url: string | null): boolean {
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
export type WebhookLedger = Ledger;

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

/** How long the first look may take: the start of the work waits for it, ms. */
const FIRST_MS = 5_000;
/** How often a webhook is looked for whose process has died, ms. It costs a query. */
const LOOK_EVERY_MS = 10_000;
/** The same after the API could not be asked, ms: it costs reads of the profile. */
const TRY_EVERY_MS = 60_000;

/** What a watch needs. */
export interface LeftoverWatchRequest {
  readonly open: OpenApi;
  readonly ledger: WebhookLedger;
  /** The worker process that looks. */
  readonly owner: string;
  readonly tell: (news: WebhookNews) => void;
  /** Default: 10 s, and a minute after the API could not be asked. */
  readonly pauses?: { readonly lookEveryMs: number; readonly tryEveryMs: number };
}

/** Puts webhooks back that processes of this ledger left behind when they died. */
export interface LeftoverWatch {
  /** Ends the watch. Never throws. */
  end(): Promise<void>;
}

/**
 * Looks for a webhook that a process which died has left in the account, and puts it back: once now, then as long as this
 * process works, since a process may count as living for seconds after it was killed, and the API may be away.
 */
export async function watchLeftover(request: LeftoverWatchRequest): Promise<LeftoverWatch> {
  const { open, ledger, owner, tell, pauses } = request;
  const { lookEveryMs, tryEveryMs } = pauses ?? { lookEveryMs: LOOK_EVERY_MS, tryEveryMs: TRY_EVERY_MS };
  const ending = new AbortController();
  const { signal } = ending;
  let last: Leftover | undefined;
  const look = async (limit: AbortSignal): Promise<Leftover | undefined> => {
    // What the API does not take back now it does not take a minute later.
    const except = last?.end === 'stays' ? last.address : undefined;
    const found = await putLeftoverBack(ledger, open, { owner, except }, limit);
    if (found === undefined) return undefined;
    const isNews = found.end !== last?.end || found.address !== last.address;
    if (isNews) tell({ type: 'over', end: found.end, before: found.before, isLeftover: true });
    return (last = found);
  };
  let found = await look(AbortSignal.timeout(FIRST_MS));
  const watching = (async () => {
    for (;;) {
      await sleep(found?.end === 'away' ? tryEveryMs : lookEveryMs, undefined, { signal, ref: false });
      found = await look(signal);
    }
  })().catch(() => undefined);
  return {
    end: async () => {
      ending.abort();
      await watching;
    },
  };
}
