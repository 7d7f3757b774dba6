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

/** Retry interval while other processes use up the in-flight limit, ms. */
const FULL_PAUSE_MS = 50;

/** State that a row's holder carries from one attempt to the next. */
export interface SubmitOptions {
  /**
   * The row's last known state. Nobody else has worked on it since, and the intent checks everything again. Default:
   * read from the ledger.
   */
  readonly known?: RowSnapshot | undefined;
  /** Its result's cache key, and whether an earlier result may be used. Default: no key. */
  readonly terms?: ResultTerms;
  /**
   * Checks whether the name of its new voice is free; kept across retries, because a row that waits for room asks
   * repeatedly. Default: a new check.
   */
  readonly name?: VoiceNameCheck;
  /** Whether its lane still holds the row; asked after each wait. Default: it does. */
  readonly isHeld?: () => boolean;
}

/**
 * Makes one attempt: at most one paid request, recorded before and after (docs/decisions/one-charge.md).
 *
 * 1. Reads the ledger; if there is a verdict, that is the answer, and nothing is sent.
 * 2. Gets what the request needs: the fresh link of a chain's speech, local media that the service can fetch.
 * 3. Waits for room under the limits, then for its turn.
 * 4. Records the intent, sends at its time, and records the verdict (`send.ts`).
 * 5. Reports what the row needs next; if the budget has no room for it yet, that it waits (`budget-queue.ts`).
 *
 * Rejects if the signal aborts before the intent. After the intent the request is always carried through to its
 * recorded answer. An error from then on leaves the attempt open for reconcile to settle; it is not queued again under
 * the in-flight limit, which still counts it.
 */
export async function submit(
  deps: Dependencies,
  key: FencedAttempt,
  signal: AbortSignal,
  { known, terms = {}, name = new VoiceNameCheck(deps), isHeld = () => true }: SubmitOptions = {},
): Promise<SubmitReport> {
  if (deps.only === 'download') throw new Error('This worker only downloads, and sends nothing.');
  const loaded = await loadAttempt(deps, key, known);
  if (loaded.charge !== undefined || loaded.row.outcome !== null) return reportFromLedger(key, loaded);

  const need = linkOf(loaded.row.kind, key.step);
  const link = need === undefined ? NO_LINK_NEEDED : await freshLink(deps, loaded, key, need, signal);
  if (link.type !== 'ready') return reportWithoutLink(deps, loaded, key, link);
  const media = await prepareMedia(deps, loaded.row, key.step, signal);
  // Read again: the link may have taken long, and this limit holds for the whole batch.
  const { settings } = await loadBatch(deps, key.batch);
  // Only from here on is anything in flight; earlier work must not occupy a request's slot.
  const leave = await deps.inFlightLimits.enter(key.batch, settings.limits.submits);
  try {
    if (!isHeld()) return NOT_HELD;
    // Inside the in-flight limit: a request still waiting for that is not a job yet, and must not count as one.
    const leaveJobs = await deps.concurrencyLimit.enter(deps, signal);
    try {
      if (!isHeld()) return NOT_HELD;
      return await sendInTurn(deps, { loaded, key, need, media, signal, terms, name }, link);
    } finally {
      leaveJobs();
    }
  } finally {
    leave();
  }
}

/** Its lane has handed the row back; another one works on it. */
const NOT_HELD: SubmitReport = { verdict: 'blocked', next: { type: 'ended' } };

/** An attempt ready to be sent once its turn comes. */
interface Waiting {
  readonly loaded: LoadedAttempt;
  readonly key: FencedAttempt;
  /** The link that its step needs from an earlier one. */
  readonly need: ReturnType<typeof linkOf>;
  readonly media: PreparedMedia;
  readonly signal: AbortSignal;
  readonly terms: ResultTerms;
  readonly name: VoiceNameCheck;
}

/** Waits for its turn and for the limit of all processes, inside the in-flight limit of this one. */
async function sendInTurn(
  deps: Dependencies,
  { loaded, key, need, media: prepared, signal, terms, name }: Waiting,
  early: ReadyLink,
): Promise<SubmitReport> {
  // Nothing more is paid for while no result could be kept.
  await deps.store.outage?.whenAnswered(signal);
  if (deps.faulty.aborted && !signal.aborted) await once(signal, 'abort');
  signal.throwIfAborted();
  await deps.atFaultPoint('before-intent');
  let link: Link = early;
  for (;;) {
    // Take a turn only inside the limit: waiters would otherwise use up turns, and then all go at once.
    const turn = await deps.pace.take(deps, 'create', key.batch, signal);
    // Waiting for a slot and a turn may take longer than links live. The turn is kept while the link is read again: its
    // request goes late, and no other takes the turn.
    const isOld = deps.clock.now().monotonic > link.freshUntil;
    if (isOld && need !== undefined) link = await freshLink(deps, loaded, key, need, signal);
    if (link.type !== 'ready') {
      giveBack(turn);
      return reportWithoutLink(deps, loaded, key, link);
    }
    const nameWasFree = await name.isFree(loaded, signal);
    const media = await linkMedia(deps, prepared, loaded.batch.settings, signal);
    const report = await send(deps, { loaded, key, link, media, turn, signal, terms, nameWasFree });
    if (report !== 'full') return report;
    await sleep(FULL_PAUSE_MS, undefined, { signal });
  }
}

/** There was no link; nothing was paid for. */
async function reportWithoutLink(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  { type }: NoLink,
): Promise<SubmitReport> {
  if (type === 'ended') return { verdict: 'rejected', next: await readNextMove(deps, key) };
  return { verdict: 'deferred', next: nextMoveFor(key, loaded) };
}
