import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FencedAttempt } from '../contract/batch.ts';
import { linkOf } from '../contract/row-kinds.ts';
import type { RowSnapshot } from '../ledger/rows/row-records.ts';
import {
  loadAttempt,
  nextMoveFor,
  readNextMove,
  reportFromLedger,
  type LoadedAttempt,
  type SubmitReport,
} from './attempt.ts';
import { loadBatch } from './cache/batch-cache.ts';
import type { Dependencies } from './dependencies.ts';
import { freshLink, NO_LINK_NEEDED, type Link, type NoLink, type ReadyLink } from './polling/fresh-link.ts';
import { linkMedia, prepareMedia, type PreparedMedia } from './local-media/sent-media.ts';
import { VoiceNameCheck } from './voices/voice-name-check.ts';
import { giveBack } from './pacing/pace.ts';
import { send, type ResultTerms } from './send.ts';

/** Pause before an intent is tried again while other processes use up the in-flight limit, ms. */
const FULL_PAUSE_MS = 50;

/** What the lane that holds a row passes to each submit. */
export interface SubmitOptions {
  /**
   * The row as known last. It may be old: the intent checks everything again. Default: read from the ledger.
   */
  readonly known?: RowSnapshot | undefined;
  /** The cache key of the result, and whether an earlier result may be used. Default: no key. */
  readonly terms?: ResultTerms;
  /**
   * Checks whether the name of the voice to create is free. Shared by a row's submits, because one that waits for a
   * slot checks repeatedly. Default: a new check.
   */
  readonly nameCheck?: VoiceNameCheck;
  /** Returns whether the lane still holds the row; called after each wait. Default: true. */
  readonly isHeld?: () => boolean;
}

/**
 * Makes one attempt: at most one paid request, recorded before and after (docs/decisions/one-charge.md).
 *
 * 1. Reads the ledger. If the attempt has a record, reports that, and sends nothing.
 * 2. Gets what the request needs: a fresh link to an earlier step's result, and links to local media.
 * 3. Waits for a slot under each limit, then for its turn.
 * 4. Records the intent, sends the request at its time, and records the verdict (`send.ts`).
 * 5. Returns what the row needs next, or why the request is deferred.
 *
 * Rejects if the signal aborts before the intent. After the intent the request always runs until its answer is
 * recorded; an error from then on leaves the attempt for reconcile to settle.
 */
export async function submit(
  deps: Dependencies,
  key: FencedAttempt,
  signal: AbortSignal,
  { known, terms = {}, nameCheck = new VoiceNameCheck(deps), isHeld = () => true }: SubmitOptions = {},
): Promise<SubmitReport> {
  if (deps.only === 'download') throw new Error('This worker only downloads, and sends nothing.');
  const loaded = await loadAttempt(deps, key, known);
  if (loaded.charge !== undefined || loaded.row.outcome !== null) return reportFromLedger(key, loaded);

  const need = linkOf(loaded.row.kind, key.step);
  const link = need === undefined ? NO_LINK_NEEDED : await freshLink(deps, loaded, key, need, signal);
  if (link.type !== 'ready') return reportWithoutLink(deps, loaded, key, link);
  const media = await prepareMedia(deps, loaded.row, key.step, signal);
  // Read again: the link may have taken long, and the limit is set for all requests of the batch.
  const { settings } = await loadBatch(deps, key.batch);
  // The slot is taken only now: earlier work must not occupy it.
  const releaseSlot = await deps.inFlightLimits.enter(key.batch, settings.limits.submits);
  try {
    if (!isHeld()) return NOT_HELD;
    // Inside the in-flight limit, because a request that waits for that must not count as a job.
    const releaseJob = await deps.concurrencyLimit.enter(deps, signal);
    try {
      if (!isHeld()) return NOT_HELD;
      return await sendInTurn(deps, { loaded, key, need, media, signal, terms, nameCheck }, link);
    } finally {
      releaseJob();
    }
  } finally {
    releaseSlot();
  }
}

/** The report if the lane has handed the row back: another lane works on it. */
const NOT_HELD: SubmitReport = { verdict: 'blocked', next: { type: 'ended' } };

/** An attempt ready to be sent once its turn comes. */
interface Waiting {
  readonly loaded: LoadedAttempt;
  readonly key: FencedAttempt;
  /** The link that its step needs from an earlier one; undefined if none. */
  readonly need: ReturnType<typeof linkOf>;
  readonly media: PreparedMedia;
  readonly signal: AbortSignal;
  readonly terms: ResultTerms;
  readonly nameCheck: VoiceNameCheck;
}

/**
 * Waits for its turn, inside the limits of this process, and sends. Repeats that while the limit of all processes is
 * full.
 */
async function sendInTurn(
  deps: Dependencies,
  { loaded, key, need, media: prepared, signal, terms, nameCheck }: Waiting,
  early: ReadyLink,
): Promise<SubmitReport> {
  // Send nothing while a result could not be stored.
  await deps.store.outage?.whenAnswered(signal);
  if (deps.faulty.aborted && !signal.aborted) await once(signal, 'abort');
  signal.throwIfAborted();
  await deps.atFaultPoint('before-intent');
  let link: Link = early;
  for (;;) {
    // The turn is taken inside the limits: otherwise waiters would collect turns, and then be sent all at once.
    const turn = await deps.pace.take(deps, 'create', key.batch, signal);
    // Waiting for a slot and a turn may take longer than links live. The turn is kept while the link is read again, and
    // the request is sent late.
    const isOld = deps.clock.now().monotonic > link.freshUntil;
    if (isOld && need !== undefined) link = await freshLink(deps, loaded, key, need, signal);
    if (link.type !== 'ready') {
      giveBack(turn);
      return reportWithoutLink(deps, loaded, key, link);
    }
    const nameWasFree = await nameCheck.isFree(loaded, signal);
    const media = await linkMedia(deps, prepared, loaded.batch.settings, signal);
    const report = await send(deps, { loaded, key, link, media, turn, signal, terms, nameWasFree });
    if (report !== 'full') return report;
    await sleep(FULL_PAUSE_MS, undefined, { signal });
  }
}

/** Returns the report of a step without the link that it needs. Nothing was sent. */
async function reportWithoutLink(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  { type }: NoLink,
): Promise<SubmitReport> {
  if (type === 'ended') return { verdict: 'rejected', next: await readNextMove(deps, key) };
  return { verdict: 'deferred', next: nextMoveFor(key, loaded) };
}
