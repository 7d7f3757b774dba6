import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../contract/row-kinds.ts';
import {
  isPausedByFailures,
  isTokenRefused,
  findStandstill,
  type Standstill,
} from '../../batches/status/standstill.ts';
import type { Pinning } from '../../contract/worker-version.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts, Money, ReasonCount } from '../../ledger/batches/counts.ts';
import type { OldestRow } from '../../ledger/batches/progress.ts';
import { VoxbatchError } from '../problem.ts';
import { ArrivingMedia, LAST_WAIT_MS } from '../results/arriving-media.ts';
import { beginPace, type Pace, type PaceView, paceWhile } from './pace.ts';
import { adviceFor } from './continue-command.ts';
import type { ApiHealth } from '../../policy/pacing/rate.ts';
import type { Store } from '../../store/store.ts';
import { limitWaiting } from '../../worker/watch-outage.ts';

/** Poll interval of the batch's record, ms. The end of the batch is noticed up to this much later. */
const POLL_EVERY_MS = 100;

/** Shortest interval between two reads of counts and sums, ms. */
const COUNT_EVERY_MS = 200;
/** Shortest interval between two reads of all other facts, ms. */
const FACTS_EVERY_MS = 1_000;

/** Max distinct failure reasons counted. */
const MAX_REASONS = 100;

/** Interval between two reads of the workflow's state, ms. */
const QUERY_EVERY_MS = 5_000;

/** Max restarts of a workflow that keeps being ended from outside; beyond that, the cause cannot be fixed here. */
const MAX_RESTARTS = 3;

/** Reads take at most this share of the time: the slower they are, the less frequent. */
const MAX_SHARE = 0.02;

/** State of the workflow of an open batch, as Temporal describes it. */
export type WorkflowState =
  /**
   * `shownUnknown`: number of unknown rows that Temporal's lists show; absent if they show none. `pinned`: the worker
   * version that this run is pinned to, if any: only workers of that version get its tasks.
   */
  | { readonly type: 'running'; readonly shownUnknown?: number; readonly pinned?: Pinning }
  /** Temporal does not answer now, for example while it restarts. */
  | { readonly type: 'silent' }
  /** It has closed the batch. If the batch is open, it was reopened since and needs a new workflow. */
  | { readonly type: 'completed' }
  /** It ended in another way, for example was terminated by hand, or is unknown to Temporal. `message`: a sentence. */
  | { readonly type: 'ended'; readonly message: string };

/** Input of {@link followBatch}. */
export interface FollowRequest {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly batch: string;
  /** Absolute path of the folder into which media are linked as they arrive; null links none. */
  readonly out: string | null;
  /** Stops following early, for example on Ctrl-C or a machine fault. */
  readonly signal: AbortSignal;
  /** Keep following through a pause, which a person may lift, unless the token is refused. */
  readonly waitWhilePaused: boolean;
  /** This process fetches the results, so a pause stops following only once no job is running. */
  readonly fetchesHere: boolean;
  /** Reads the workflow's state; called periodically. */
  readonly readWorkflow: () => Promise<WorkflowState>;
  /** Starts a new workflow for an open batch without a running one. */
  readonly startAgain: () => Promise<void>;
  /** Interval between two reads of the workflow's state, ms. Default: 5,000. */
  readonly queryEveryMs?: number;
}

/** State of a batch. All but the final sums may lag the batch by some tenths of a second. */
export interface Standing {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** Steps whose requests are held to a few in flight until an answer reveals the API's price. Default: none. */
  readonly unpricedSteps?: readonly Step[];
  /** Reasons for failures, past and present, most common first. */
  readonly reasons: readonly ReasonCount[];
  /** The open row whose job has run the longest; undefined if none runs. */
  readonly oldest?: OldestRow | undefined;
  readonly pace: PaceView;
  /** Whether the API answers, and at which rate it accepts requests; undefined unless the batch is open. */
  readonly api?: ApiHealth | undefined;
}

/** Why following ended. `broken`: the workflow was ended from outside again and again. */
export type FollowEnd = { readonly type: 'ended'; readonly batch: BatchRecord } & (
  { readonly why: 'closed' | 'paused' | 'aborted' } | { readonly why: 'broken'; readonly message: string }
);

/** Events of a followed batch. */
export type FollowEvent =
  /** Emitted at every poll. `isLast`: the sums are current, and the end follows. */
  | { readonly type: 'progress'; readonly standing: Standing; readonly isLast: boolean }
  /**
   * The batch paused. With `waits`, following continues until somebody resumes it; otherwise until the running jobs are
   * fetched. `advice`: what to do before it can be resumed; undefined if nothing.
   */
  | {
      readonly type: 'paused';
      readonly batch: BatchRecord;
      readonly waits: boolean;
      readonly advice?: string | undefined;
    }
  | { readonly type: 'stopping'; readonly batch: BatchRecord }
  /** The batch is stuck. */
  | { readonly type: 'standstill'; readonly batch: BatchRecord; readonly standstill: Standstill }
  /** Its workflow was ended from outside and is being replaced. */
  | { readonly type: 'restarted'; readonly message: string }
  /** Temporal does not answer. */
  | { readonly type: 'silent' }
  /**
   * The store does not answer this process; workers that reach it go on. `why`: continues "because". With `needsPerson`
   * it refuses this process, and `why` is a sentence with what to mend.
   */
  | { readonly type: 'store-away'; readonly why: string; readonly needsPerson: boolean }
  | { readonly type: 'store-back' }
  | FollowEnd;

/**
 * Follows a batch in the ledger, links new media and keeps its workflow running until it is closed, paused or broken.
 * The last event is `ended`. Work happens only while the caller awaits the next event.
 */
export async function* followBatch(request: FollowRequest): AsyncGenerator<FollowEvent, void, undefined> {
  const { ledger, signal, fetchesHere, store } = request;
  const endLimit = limitWaiting(ledger, signal);
  // While the batch is running, wait for its media without limit. A worker in this process does that anyway.
  if (!fetchesHere) store.outage?.limit(Infinity);
  try {
    yield* follow(request);
  } finally {
    endLimit();
    // Otherwise a download in the background would keep the process alive while the store does not answer.
    if (!fetchesHere) store.outage?.limit(LAST_WAIT_MS);
  }
}

/** The loop of {@link followBatch}: each round reads the ledger, and yields what has changed since the one before. */
async function* follow(request: FollowRequest): AsyncGenerator<FollowEvent, void, undefined> {
  const { ledger, signal, fetchesHere } = request;
  const media = new ArrivingMedia(request);
  const readStanding = standingReader(request);
  const storeEvent = storeWatch(request);
  const workflowEvents = workflowWatch(request);
  const hasPaused = onRise();
  const hasBegunStopping = onRise();
  for (;;) {
    const batch = await ledger.findBatch(request.batch);
    // The ledger was replaced by another one, or by an older copy.
    if (batch === undefined) throw new VoxbatchError({ type: 'no-batch', batch: request.batch, known: [] });
    const isLast = batch.state === 'closed' || signal.aborted;
    let standing = await readStanding(batch, isLast);
    const paused = batch.control === 'paused' && batch.state !== 'closed';
    const waits = request.waitWhilePaused && !isTokenRefused(batch);
    const isIdle = (): boolean => hasOpenRows(standing) && !(fetchesHere && canFetch(standing));
    // Stale sums may show nothing running although something is.
    if (paused && !waits && isIdle()) standing = await readStanding(batch, true, true);
    const leaves = paused && !waits && isIdle();
    yield { type: 'progress', standing, isLast: isLast || leaves };
    const why = batch.state === 'closed' ? 'closed' : signal.aborted ? 'aborted' : leaves ? 'paused' : undefined;
    if (why !== undefined) {
      await media.end(signal.aborted || !fetchesHere);
      return yield { type: 'ended', why, batch };
    }
    if (hasPaused(paused)) yield { type: 'paused', batch, waits, advice: await adviceFor(ledger, batch) };
    if (hasBegunStopping(batch.control === 'stopping')) yield { type: 'stopping', batch };
    await media.link();
    const ofStore = storeEvent();
    if (ofStore !== undefined) yield ofStore;
    for await (const event of workflowEvents(batch)) {
      yield event;
      if (event.type === 'ended') return;
    }
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Returns a function that reads the state of a batch. Sums and other facts may be slightly stale, except with
 * `areSumsNow` and `areFactsNow`.
 */
function standingReader({
  ledger,
  batch: name,
}: FollowRequest): (batch: BatchRecord, areSumsNow: boolean, areFactsNow?: boolean) => Promise<Standing> {
  const readSums = throttled(COUNT_EVERY_MS, async (batch: BatchRecord) => ({
    counts: await ledger.counts(name),
    money: await ledger.money(name),
    // Read along with the counts: otherwise the API could be shown as silent beside counts of its answers.
    api: batch.state === 'open' ? await ledger.apiHealth(batch) : undefined,
  }));
  const readFacts = throttled(FACTS_EVERY_MS, async () => ({
    reasons: await ledger.commonReasons(name, MAX_REASONS),
    unpricedSteps: await ledger.stepsWithUnknownCharge(name),
    oldest: await ledger.oldestRow(name),
  }));
  let pace: Pace | undefined;
  return async (batch, areSumsNow, areFactsNow = false) => {
    const known = { ...(await readSums(areSumsNow, batch)), ...(await readFacts(areFactsNow, batch)) };
    pace ??= await beginPace(ledger, name);
    return { batch, ...known, pace: paceWhile(known, pace.update(performance.now(), batch, known.counts)) };
  };
}

/**
 * Returns a function that says whether the store has gone away, refuses this process or is back since its last call. A
 * worker in this process reports the store itself.
 */
function storeWatch({ store, fetchesHere }: FollowRequest): () => FollowEvent | undefined {
  let isAway = false;
  let isRefused = false;
  return () => {
    const [wasAway, wasRefused] = [isAway, isRefused];
    const trouble = fetchesHere ? undefined : store.outage?.trouble;
    isAway = trouble !== undefined;
    isRefused = isAway && store.outage?.status?.needsPerson === true;
    if (trouble === undefined) return wasAway ? { type: 'store-back' } : undefined;
    const isNew = !wasAway || (isRefused && !wasRefused);
    return isNew ? { type: 'store-away', why: trouble, needsPerson: isRefused } : undefined;
  };
}

/**
 * Returns a function that, if it is time, looks whether the batch is stuck and whether its workflow runs, and replaces
 * one that was ended from outside. Its last event is `ended` if that happens again and again.
 */
function workflowWatch(request: FollowRequest): (batch: BatchRecord) => AsyncGenerator<FollowEvent, void, undefined> {
  const { ledger, fetchesHere, queryEveryMs = QUERY_EVERY_MS } = request;
  const isSilentNow = onRise();
  let lastStandstill: Standstill | undefined;
  let restarts = 0;
  let queryAt = 0;
  return async function* (batch) {
    if (performance.now() < queryAt) return;
    queryAt = performance.now() + queryEveryMs;
    const { standstill: found } = await findStandstill(ledger, batch);
    // A worker in this process registers only a moment later, and reports the disk and the store itself.
    const isReported = found === 'no-worker' || found === 'no-store' || found === 'ledger-full';
    const standstill = fetchesHere && isReported ? undefined : found;
    if (standstill !== undefined && standstill !== lastStandstill) yield { type: 'standstill', batch, standstill };
    lastStandstill = standstill;
    const workflow = await request.readWorkflow();
    // The workflow closes the batch before it ends, so only a ledger read after that counts.
    const hasEnded = workflow.type === 'completed' || workflow.type === 'ended';
    if (hasEnded && (await ledger.findBatch(batch.name))?.state === 'open') {
      if (workflow.type === 'ended') {
        const { message } = workflow;
        if (restarts === MAX_RESTARTS) return yield { type: 'ended', why: 'broken', batch, message };
        restarts += 1;
        yield { type: 'restarted', message };
      }
      await request.startAgain();
    }
    if (isSilentNow(workflow.type === 'silent')) yield { type: 'silent' };
  };
}

/** Returns a function that says whether its argument has just become true, since the last call. */
function onRise(): (is: boolean) => boolean {
  let was = false;
  return (is) => {
    const hasRisen = is && !was;
    was = is;
    return hasRisen;
  };
}

/** Whether any row has no outcome yet. Without one, the workflow closes the batch within moments, paused or not. */
function hasOpenRows({ counts }: Standing): boolean {
  return Object.values(counts.states).some((rows) => rows > 0);
}

/**
 * Whether running jobs have results that can still be fetched: without a valid token even reads fail, and some results
 * fail repeatedly.
 */
function canFetch({ batch, counts, reasons }: Standing): boolean {
  const { states } = counts;
  const failing = isPausedByFailures(batch) ? reasons.reduce((sum, { open }) => sum + open, 0) : 0;
  return !isTokenRefused(batch) && states.submitting + states.processing + states.fetching > failing;
}

/**
 * Caches a value that may be slightly stale: reads it at most once per `everyMs`, and less often if reads are slow.
 * Called with true, the returned function reads it immediately.
 */
function throttled<T>(
  everyMs: number,
  read: (batch: BatchRecord) => Promise<T>,
): (isNow: boolean, batch: BatchRecord) => Promise<T> {
  let last: { readonly value: T; readonly validUntil: number } | undefined;
  return async (isNow, batch) => {
    const begun = performance.now();
    if (last !== undefined && !isNow && begun < last.validUntil) return last.value;
    const value = await read(batch);
    const end = performance.now();
    last = { value, validUntil: end + Math.max(everyMs, (end - begun) / MAX_SHARE) };
    return value;
  };
}
