import { messageOf } from '../../contract/message-of.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUndelivered, type HookEvent } from '../../contract/hooks.ts';
import { isProvenDead } from '../../embedded/process-identity.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Delivery, Notice, NoticeClaim } from '../../ledger/notices/notices.ts';
import { redeliverAt } from '../../policy/hooks/redelivery.ts';
import { LEASE_MS, NoticeDispatcher } from './notice-dispatcher.ts';
import { postNotice } from './post-notice.ts';
import { runHookCommand } from './run-hook-command.ts';
import { realmOf, type ConnectedApi } from '../connect-api.ts';
import { readNoticeContent } from './notice-content.ts';
import type { Settings } from '../settings.ts';

/** Pause between two searches for notices, ms. */
const SEARCH_EVERY_MS = 1_000;

// A notice is a message about a batch or an occurrence that is to be delivered to a hook: `--on-end` (a command) or
// `--notify` (a URL). Notices are in the ledger. The process that delivers one claims it, and renews that claim until
// the delivery ends.

/** The claim of a dead process expires within this time, ms. */
const CLAIM_EXPIRY_MS = LEASE_MS + 2 * SEARCH_EVERY_MS;

/** Which notices to deliver, and how. */
export interface DeliverRequest {
  readonly ledger: Ledger;
  /** Restricts delivery to this batch. Default: all batches. */
  readonly batch?: string | undefined;
  /** Also delivers other batches' notices once they are this old, ms; see `NoticeClaim`. */
  readonly othersAfterMs?: number | undefined;
  /** Restricts delivery to this event. Default: all events. */
  readonly event?: HookEvent | undefined;
  /** Awaited before each search, so that the files of a batch exist when its command runs. */
  readonly before?: (() => Promise<void>) | undefined;
  /**
   * Restricts delivery to batches and schedules of this API and account, since a ledger may hold others. Default: any.
   */
  readonly realm?: NoticeClaim['realm'];
  /** Signs messages; see {@link postNotice}. Default: they are not signed. */
  readonly secret?: string | undefined;
  /** Called with a message for each delivery that failed. */
  readonly say: (line: string) => void;
  /** Aborts everything, including the delivery in progress, which the next process repeats. */
  readonly signal: AbortSignal;
}

/**
 * Returns the realm whose hooks this process delivers (its own API and account), and the secret that signs messages.
 */
export function ownNotices({ env }: Settings, open: ConnectedApi): Required<Pick<DeliverRequest, 'realm' | 'secret'>> {
  const secret = env['VOXBATCH_NOTIFY_SECRET'];
  // An empty secret counts as not set.
  return { realm: realmOf(open), secret: secret === '' ? undefined : secret };
}

/** Input of {@link deliverNotices}. */
export interface DeliverUntil extends DeliverRequest {
  /** Whether to search for notices now. Default: always. */
  readonly isWanted?: (() => boolean) | undefined;
  /** Stops it after the deliveries in flight. */
  readonly until?: AbortSignal;
}

/**
 * Delivers the notices of `--on-end` and `--notify` until the signal aborts. Rejects if the ledger is gone.
 */
export async function deliverNotices(request: DeliverUntil): Promise<void> {
  const { signal, until = signal, isWanted } = request;
  const ending = AbortSignal.any([signal, until]);
  const dispatcher = createDispatcher(request);
  try {
    while (!ending.aborted) {
      if (isWanted?.() !== false) await dispatcher.begin();
      await sleep(SEARCH_EVERY_MS, undefined, { signal: ending });
    }
  } catch (error) {
    if (!ending.aborted) throw error;
  } finally {
    dispatcher.close();
    await dispatcher.idle().catch(ignoreIf(ending));
  }
}

/**
 * Delivers an ended batch's notices before the process exits. Failed deliveries are retried for `patienceMs`, then left
 * to the next process that works on this ledger. A delivery that another process has begun is awaited until a dead
 * process's claim would have expired. Returns false if a notice is still undelivered; see {@link isUndelivered}.
 */
export async function deliverBeforeExit(
  request: DeliverRequest & { readonly batch: string },
  patienceMs: number,
): Promise<boolean> {
  const { ledger, batch, signal, say } = request;
  const start = Date.now();
  let isWaiting = false;
  try {
    for (;;) {
      await releaseDeadClaims(ledger, batch);
      await deliverDue(request);
      const pending = (await ledger.noticesOf(batch)).filter(({ endedAt }) => endedAt === null);
      if (pending.length === 0) return true;
      const isOneUndelivered = pending.some(isUndelivered);
      if (Date.now() > start + Math.max(patienceMs, isOneUndelivered ? CLAIM_EXPIRY_MS : 0)) {
        say(
          isOneUndelivered
            ? `A hook of batch "${batch}" is still to be told: another process has begun it, and has neither ended nor died. Run the same command again, or keep this running: voxbatch up`
            : `A message about batch "${batch}" is still to be delivered. Whoever works on this ledger next does it: voxbatch up`,
        );
        return !isOneUndelivered;
      }
      if (isOneUndelivered && !isWaiting) {
        isWaiting = true;
        say(`A hook of batch "${batch}" was begun by another process. It is told here if that one does not end it.`);
      }
      await sleep(SEARCH_EVERY_MS / 4, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}

/** Releases a batch's notices that are claimed by dead processes. */
async function releaseDeadClaims(ledger: Ledger, batch: string): Promise<void> {
  for (const { id, claimer, endedAt } of await ledger.noticesOf(batch)) {
    if (endedAt === null && claimer !== null && isProvenDead(claimer)) await ledger.freeNotice(id, claimer);
  }
}

/** Tries each due notice once. Rejects if the signal aborts. */
export async function deliverDue(request: DeliverRequest): Promise<void> {
  request.signal.throwIfAborted();
  const dispatcher = createDispatcher(request);
  await dispatcher.begin();
  await dispatcher.idle();
}

function createDispatcher(request: DeliverRequest): NoticeDispatcher {
  const { ledger, batch, othersAfterMs, realm, event, before, say } = request;
  return new NoticeDispatcher({
    ledger,
    before,
    claim: { batch, othersAfterMs, realm, event },
    deliver: (notice) => deliver(notice, request),
    onResult: (notice, delivery) => {
      if (delivery.type === 'delivered' || (notice.tries > 1 && delivery.retryAt !== null)) return;
      const flag = notice.target === 'command' ? '--on-end' : '--notify';
      const next = delivery.retryAt === null ? 'It is not tried again.' : 'It is tried again.';
      say(`${flag} of batch "${notice.batch}" failed: ${delivery.trouble}. ${next}`);
    },
  });
}

/** Returns an error handler that ignores errors after the signal's abort, and rethrows others. */
function ignoreIf(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

/** Delivers one notice with its current content. A notice whose content is obsolete counts as delivered. */
async function deliver(notice: Notice, { ledger, secret, signal }: DeliverRequest): Promise<Delivery> {
  signal.throwIfAborted();
  const content = await readNoticeContent(ledger, notice);
  if (content === undefined) return { type: 'delivered' };
  const { receiver, message, environment, input } = content;
  if (notice.target === 'url') {
    const trouble = await postNotice(receiver, message, secret, signal);
    if (trouble === undefined) return { type: 'delivered' };
    const now = Date.now();
    return { type: 'failed', trouble, retryAt: redeliverAt(notice.tries, notice.madeAt, now, Math.random()) };
  }
  const trouble = await runHookCommand({
    command: receiver,
    environment,
    input: `${JSON.stringify(input, undefined, 2)}\n`,
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return messageOf(error);
  });
  // A failed command may have had effects, so it is not retried.
  return trouble === undefined ? { type: 'delivered' } : { type: 'failed', trouble, retryAt: null };
}

/** Time for deliveries in flight, and for hooks of batches that have just ended, once the process is ending, ms. */
const SHUTDOWN_MS = 35_000;

/** Background delivery of hooks. */
export interface BackgroundDelivery {
  /** Resolves when delivery has ended; rejects if the ledger is gone. */
  readonly ended: Promise<void>;
  /**
   * Shuts delivery down: drains deliveries in flight, then, once `worked` settles, tries each resulting notice once.
   * After 35 s the rest is aborted and left to the next process. Never throws.
   */
  end(worked: Promise<unknown>): Promise<void>;
}

/** Delivers the hooks of a ledger's batches in the background until {@link BackgroundDelivery.end} is called. */
export function startHookDelivery(options: Omit<DeliverUntil, 'signal' | 'until'>): BackgroundDelivery {
  const ending = new AbortController();
  const aborting = new AbortController();
  const request = { ...options, signal: aborting.signal, until: ending.signal };
  const ended = deliverNotices(request);
  return {
    ended,
    end: async (worked) => {
      ending.abort();
      const timer = setTimeout(() => {
        aborting.abort();
      }, SHUTDOWN_MS);
      try {
        await Promise.allSettled([ended, worked]);
        await deliverDue(request);
      } catch {
        // The notices stay in the ledger for the next process.
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
