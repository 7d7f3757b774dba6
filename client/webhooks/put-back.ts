import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api/speech-api.ts';
import type { JobHints } from '../../activities/webhooks/job-hints.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { changeProfile, clearWebhook, isRefusal, isSame, type ProfileChange } from '../account/account-functions.ts';
import { readProfilePatiently, realmOf, type ConnectedApi } from '../connect-api.ts';
import { randomBytes } from 'node:crypto';
import type { WebhookBefore, WebhookRecord } from '../../ledger/webhooks/webhooks.ts';
import { PassedHints } from './passed-hints.ts';
import type { PutBack, WebhookNews } from './webhook-options.ts';

export type WebhookSet = NonNullable<WebhookRecord['set']>;

/** Bytes of randomness in the secret path. */
const SECRET_BYTES = 24;
/** Prefix of the last segment of every webhook URL that any voxbatch sets. */
const MARK = 'voxbatch-';
const MARKED = /\/voxbatch-[\w-]{32}\/*$/;

/** An unguessable last segment that other voxbatch installations recognize as voxbatch's. */
export function newSecret(): string {
  return MARK + randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether a URL was set by this ledger's processes and not restored since. */
function isOurs({ address, earlier }: WebhookSet, url: string | null): boolean {
  return [address, ...earlier].some((one) => isSame(url, one));
}

/** The profile's webhook before a process set its own: what to restore, or the URL of another voxbatch. */
export type Found = WebhookBefore | { readonly type: 'foreign'; readonly url: string };

/**
 * The account's webhook before this ledger's processes used it. `shown`: the URL in the profile, undefined if it does
 * not show the field. `leftover`: the URL left by a dead process. A voxbatch URL that is not on record here belongs to
 * a voxbatch with other records. It must not be restored: that voxbatch may end at any time and leave nobody listening.
 */
export function foundIn(shown: string | null | undefined, leftover: WebhookSet | null): Found {
  if (leftover !== null && (shown === undefined || isOurs(leftover, shown))) return leftover.before;
  if (shown === undefined) return { type: 'unknown' };
  return shown !== null && MARKED.test(shown) ? { type: 'foreign', url: shown } : { type: 'known', url: shown };
}

/** Attempts before the API counts as unreachable. */
const MOST_TRIES = 3;
/** Pause between attempts, ms. */
const PAUSE_MS = 500;

/** Restores the earlier webhook, unless somebody else has changed it meanwhile. Spends nothing. */
export async function putBack(open: ConnectedApi, set: WebhookSet, signal: AbortSignal): Promise<PutBack> {
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

/** Whether the record of what to restore is still needed, by another process or later. */
export function isStillNeeded(end: PutBack): boolean {
  return end === 'away' || end === 'stays';
}

/** A webhook left behind by a dead process. */
export interface Leftover {
  readonly end: PutBack;
  readonly before: WebhookSet['before'];
  /** The last URL that it had set. */
  readonly address: string;
}

interface PutLeftoverBack {
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
export async function putLeftoverBack(
  ledger: Ledger,
  open: ConnectedApi,
  { owner, except, onRecord }: PutLeftoverBack,
  signal: AbortSignal,
): Promise<Leftover | undefined> {
  const account = realmOf(open);
  const found = await ledger.webhookOf(account);
  onRecord?.(found);
  if (found === undefined || found.isAlive || (except !== undefined && found.set?.address === except)) return undefined;
  const taken = await ledger.takeWebhook(account, owner);
  if (taken.type === 'taken' || taken.before === undefined) return undefined;
  const { set } = taken.before;
  const end = set === null ? undefined : await putBack(open, set, signal);
  // Another process may retry, even while this one is alive.
  if (end !== undefined && isStillNeeded(end)) await ledger.releaseWebhook(account, owner);
  else await ledger.leaveWebhook(account, owner);
  return set === null || end === undefined ? undefined : { end, before: set.before, address: set.address };
}

/** Timeout of the first check, ms: the start of work waits for it. */
const FIRST_MS = 5_000;
/** Interval between checks for webhooks of dead processes, ms. Each costs a query. */
const LOOK_EVERY_MS = 10_000;
/** Interval after the API could not be reached, ms: each check costs profile reads. */
const TRY_EVERY_MS = 60_000;

/** Options of {@link watchLeftover}. */
export interface LeftoverWatchRequest {
  readonly open: ConnectedApi;
  readonly ledger: Ledger;
  /** The worker process that watches. */
  readonly owner: string;
  readonly tell: (news: WebhookNews) => void;
  /** The jobs of this process, which are told when another one receives their webhooks. */
  readonly hints: JobHints;
  readonly memoryMs: number;
  /** Default: 10 s, or a minute after the API could not be reached. */
  readonly pauses?: { readonly lookEveryMs: number; readonly tryEveryMs: number };
}

/** A running watch that restores webhooks left behind by dead processes of this ledger. */
export interface LeftoverWatch {
  /** Ends the watch. Never throws. */
  end(): Promise<void>;
}

/**
 * Restores a webhook that a dead process left in the account. Checks once now, then periodically while this process
 * works, because a killed process counts as alive for some seconds and the API may be unreachable.
 */
export async function watchLeftover(request: LeftoverWatchRequest): Promise<LeftoverWatch> {
  const { open, ledger, owner, tell, pauses } = request;
  const { lookEveryMs, tryEveryMs } = pauses ?? { lookEveryMs: LOOK_EVERY_MS, tryEveryMs: TRY_EVERY_MS };
  const ending = new AbortController();
  const { signal } = ending;
  let last: Leftover | undefined;
  const passed = new PassedHints(request);
  const onRecord: PutLeftoverBack['onRecord'] = (record) => {
    if (record?.isAlive === true && record.set !== null) passed.listen();
    else passed.stop();
  };
  const look = async (limit: AbortSignal): Promise<Leftover | undefined> => {
    // An earlier URL that the API rejects now will be rejected a minute later too.
    const except = last?.end === 'stays' ? last.address : undefined;
    const found = await putLeftoverBack(ledger, open, { owner, except, onRecord }, limit);
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
      passed.stop();
      await watching;
    },
  };
}
