import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../contract/row-kinds.ts';
import { isPausedByFailures, isTokenRefused, standstillOf, type Standstill } from '../../batches/look/view-batch.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, Counts, Money, ReasonCount } from '../../ledger/record-types.ts';
import { linkNewMedia } from '../../results/project.ts';
import type { Store } from '../../store/store.ts';
import { voxbatchVersion } from '../version.ts';

/** How often the batch's own record is read, ms: its end is noticed this much later. */
const LOOK_EVERY_MS = 100;
/** Rows and money are counted, and the reasons of failures read, at most this often, ms. */
const COUNT_EVERY_MS = 200;
const REASONS_EVERY_MS = 1_000;
/** Failure counts tell at most this many reasons apart. */
const MOST_REASONS = 100;
/** How often media are linked to the out folder while following, ms. */
const LINK_EVERY_MS = 1_000;
/** How often the workflow is queried, ms. */
const ASK_EVERY_MS = 5_000;
/**
 * How often a workflow that was ended from outside is replaced; after that, something ends it that nobody here can fix.
 */
const MOST_RESTARTS = 3;

/** An answer takes at most this share of the time: the slower it is, the rarer. */
const LARGEST_SHARE = 0.02;

/** State of the workflow of an open batch. */
export type WorkflowStanding =
  | { readonly type: 'running' | 'silent' }
  /** It has closed the batch. A batch that is still open was opened again since, and needs a new workflow. */
  | { readonly type: 'completed' }
  /** It was ended in another way, for example by hand. */
  | { readonly type: 'ended'; readonly message: string };

/** How a batch is followed. */
export interface FollowRequest {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly batch: string;
  /** Folder to which media are linked as they arrive, absolute; null: none are. */
  readonly out: string | null;
  /** Ends following early, for example on Ctrl-C or a fault of this machine. */
  readonly signal: AbortSignal;
  /** Wait through a pause, which a person may end, and do not stop following; except if the token is refused. */
  readonly waitWhilePaused: boolean;
  /** This process fetches the results: a pause ends following only when no job runs any more. */
  readonly fetchesHere: boolean;
  /** Called now and then: does the workflow still run? */
  readonly askWorkflow: () => Promise<WorkflowStanding>;
  /** Starts a new workflow for an open batch that has none running. */
  readonly startAgain: () => Promise<void>;
  /** Pause between two queries of the workflow, ms; default 5,000. */
  readonly askEveryMs?: number;
}

/** State of a batch. Sums may be some tenths of a second older than the batch, except the last ones. */
export interface Standing {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** Steps of which few requests go at once, until one has told what the API charges. Default: none. */
  readonly untold?: readonly Step[];
  /** Why rows failed, or fail now, the most common first. */
  readonly reasons: readonly ReasonCount[];
}

/** Why following ended. `broken`: the workflow was ended from outside again and again. */
export type FollowEnd = { readonly type: 'ended'; readonly batch: BatchRecord } & (
  { readonly why: 'closed' | 'paused' | 'aborted' } | { readonly why: 'broken'; readonly message: string }
);

/** What following a batch shows. */
export type FollowEvent =
  /** Comes at every look. `isLast`: the sums are current, and the end follows. */
  | { readonly type: 'progress'; readonly standing: Standing; readonly isLast: boolean }
  /**
   * It paused. `waits`: following continues until somebody resumes it; otherwise until the running jobs are fetched.
   */
  | { readonly type: 'paused'; readonly batch: BatchRecord; readonly waits: boolean }
  | { readonly type: 'stopping'; readonly batch: BatchRecord }
  /** It should move and does not. */
  | { readonly type: 'standstill'; readonly batch: BatchRecord; readonly standstill: Standstill }
  /** Its workflow was ended from outside and is being replaced. */
  | { readonly type: 'restarted'; readonly message: string }
  /** Temporal does not answer. */
  | { readonly type: 'silent' }
  | FollowEnd;

/**
 * Follows a batch in the ledger, links new media, and keeps its workflow running, until it is closed, paused or broken.
 * The last event is the end. All this happens only while the caller asks for the next event.
 */
export async function* followBatch(request: FollowRequest): AsyncGenerator<FollowEvent, void, undefined> {
  const { ledger, signal, fetchesHere } = request;
  let linkedAt = 0;
  let linkedUpTo = 0;
  let wasPaused = false;
  let wasStopping = false;
  let wasSilent = false;
  let stoodStill: Standstill | undefined;
  let restarts = 0;
  let askAt = 0;
  const sums = rarely(COUNT_EVERY_MS, async () => ({
    counts: await ledger.counts(request.batch),
    money: await ledger.money(request.batch),
    untold: await ledger.untoldSteps(request.batch),
  }));
  const reasons = rarely(REASONS_EVERY_MS, () => ledger.commonReasons(request.batch, MOST_REASONS));
  for (;;) {
    const batch = await ledger.findBatch(request.batch);
    if (batch === undefined) throw new Error(`Batch "${request.batch}" is no longer in the ledger.`);
    const isLast = batch.state === 'closed' || signal.aborted;
    let standing: Standing = { batch, ...(await sums(isLast)), reasons: await reasons(false) };
    const paused = batch.control === 'paused' && batch.state !== 'closed';
    const waits = request.waitWhilePaused && !isTokenRefused(batch);
    const isIdle = (): boolean => !(fetchesHere && canFetch(standing));
    // Old sums may say that nothing runs although something does.
    if (paused && !waits && isIdle()) standing = { batch, ...(await sums(true)), reasons: await reasons(true) };
    const leaves = paused && !waits && isIdle();
    yield { type: 'progress', standing, isLast: isLast || leaves };
    const why = batch.state === 'closed' ? 'closed' : signal.aborted ? 'aborted' : leaves ? 'paused' : undefined;
    if (why !== undefined) return yield { type: 'ended', why, batch };
    if (paused && !wasPaused) yield { type: 'paused', batch, waits };
    wasPaused = paused;
    const stopping = batch.control === 'stopping';
    if (stopping && !wasStopping) yield { type: 'stopping', batch };
    wasStopping = stopping;
    const { out } = request;
    if (out !== null && performance.now() - linkedAt >= LINK_EVERY_MS) {
      linkedAt = performance.now();
      const since = Date.now() - 1_000;
      await linkNewMedia({ ...request, out, complete: false, voxbatchVersion: voxbatchVersion() }, linkedUpTo);
      linkedUpTo = since;
    }
    if (performance.now() >= askAt) {
      askAt = performance.now() + (request.askEveryMs ?? ASK_EVERY_MS);
      const found = await standstillOf(ledger, batch);
      // A worker of our own reports a moment later that it is there.
      const standstill = found === 'no-worker' && fetchesHere ? undefined : found;
      if (standstill !== undefined && standstill !== stoodStill) yield { type: 'standstill', batch, standstill };
      stoodStill = standstill;
      const workflow = await request.askWorkflow();
      // The workflow closes the batch before it ends, so only what the ledger says after that counts.
      const hasEnded = workflow.type === 'completed' || workflow.type === 'ended';
      if (hasEnded && (await ledger.findBatch(batch.name))?.state === 'open') {
        if (workflow.type === 'ended') {
          const { message } = workflow;
          if (restarts === MOST_RESTARTS) return yield { type: 'ended', why: 'broken', batch, message };
          restarts += 1;
          yield { type: 'restarted', message };
        }
        await request.startAgain();
      }
      if (workflow.type === 'silent' && !wasSilent) yield { type: 'silent' };
      wasSilent = workflow.type === 'silent';
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * True if jobs run whose results can be fetched: without a good token even reads fail, and some results fail again and
 * again.
 */
function canFetch({ batch, counts, reasons }: Standing): boolean {
  const { states } = counts;
  const failing = isPausedByFailures(batch) ? reasons.reduce((sum, { open }) => sum + open, 0) : 0;
  return !isTokenRefused(batch) && states.submitting + states.processing + states.fetching > failing;
}

/**
 * Caches an answer that may be a little old: asks at most once per `everyMs`, and less often if the answer takes long.
 * Called with true, it asks at once.
 */
function rarely<T>(everyMs: number, ask: () => Promise<T>): (now: boolean) => Promise<T> {
  let last: { readonly answer: T; readonly holdsUntil: number } | undefined;
  return async (now) => {
    const begun = performance.now();
    if (last !== undefined && !now && begun < last.holdsUntil) return last.answer;
    const answer = await ask();
    const end = performance.now();
    last = { answer, holdsUntil: end + Math.max(everyMs, (end - begun) / LARGEST_SHARE) };
    return answer;
  };
}
