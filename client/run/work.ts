import type { ExitName } from '../../contract/exit-codes.ts';
import { isUndelivered } from '../../contract/hooks.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { exitWithPendingHook } from '../../policy/exit-of.ts';
import { LinkedFolder } from '../../results/errors.ts';
import { deliverBeforeExit, deliverNotices, ownNotices } from '../hooks/deliver-notices.ts';
import type { FollowEnd, FollowEvent } from '../status/follow.ts';
import { VoxbatchError } from '../problem.ts';
import type { Session } from '../session.ts';
import { limitWaiting } from '../../worker/watch-outage.ts';
import { BatchRunner, type StartedBatch, type BatchRunnerRequest } from '../work/batch-runner.ts';

/** A batch to follow. */
export interface FollowedBatch {
  readonly record: BatchRecord;
  /** False if an earlier process may have started a workflow. */
  readonly isNew: boolean;
  /** Absolute path of the out folder; null if it has none. */
  readonly out: string | null;
}

/** How this process's work on a batch ended. `aborted`: it was interrupted. */
export type WorkEnd = 'closed' | 'paused' | 'detached' | 'aborted';

/** Interruptions from outside. */
export interface Interruption {
  /** Requests a graceful shutdown. */
  readonly signal: AbortSignal;
  /** The exit code of an interrupted process. */
  readonly exit: () => ExitName;
  /** Max wait for requests in flight after an interruption, ms; undefined means as long as they may take. */
  readonly patienceMs: () => number | undefined;
  /** Aborts when the process is about to exit immediately. */
  readonly atOnce: AbortSignal;
}

/** Input of {@link workOn}. */
export interface WorkRequest
  extends FollowedBatch, Pick<BatchRunnerRequest, 'worker' | 'say' | 'server' | 'webhook' | 'onWebhook' | 'onLog'> {
  readonly session: Session;
  readonly atFaultPoint?: BatchRunnerRequest['atFaultPoint'];
  /** Only start the batch, and leave the work to others. */
  readonly detach: boolean;
  /** Keep waiting while the batch is paused. */
  readonly waitWhilePaused: boolean;
  readonly interruption: Interruption;
  /** Displays the batch's events until the last one. */
  readonly show: (events: AsyncIterable<FollowEvent>) => Promise<FollowEnd>;
  /**
   * Called once no worker runs here any more. For a closed batch it is called earlier, so that its files need not wait
   * for a worker that has other batches.
   */
  readonly finish: (end: WorkEnd) => Promise<ExitName>;
  /** Called before `finish` if there was no interruption and no worker runs here any more. */
  readonly onLeft: () => void;
}

/**
 * How it ended. `fault`: a fault that no retry fixes; the batch is stuck. `broken`: its workflow kept ending.
 * `not-started`: the work was refused before it began; what was recorded for it stays on record.
 */
export type Worked =
  | { readonly type: 'ended'; readonly exit: ExitName }
  | { readonly type: 'fault'; readonly cause: unknown }
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'not-started'; readonly error: unknown };

/**
 * Runs a batch and follows it: joins Temporal, starts a worker in this process (embedded), and starts or finds the
 * workflow. An interruption shuts it down gracefully: the worker drains its requests in flight and leaves the server,
 * which stops with its last member. The batch's hooks are delivered last. Throws {@link VoxbatchError}.
 */
export async function workOn(request: WorkRequest): Promise<Worked> {
  const { session, record, interruption, detach, finish } = request;
  const { settings } = session;
  const [ledger, store, open] = [await session.ledger(), await session.store(), await session.api()];
  const runner = new BatchRunner({ ...request, settings, ledger, store, open });
  const { fault } = runner;
  interruption.atOnce.addEventListener('abort', () => {
    runner.leaveAtOnce();
  });
  const signal = AbortSignal.any([interruption.signal, fault]);
  const finishAndDeliver = async (end: WorkEnd): Promise<ExitName> => {
    // Writes the files first, because hooks may need them.
    const exit = await finish(end);
    const hasHooks = end === 'closed' || end === 'paused';
    return hasHooks ? deliverHooks(exit, end, { ...request, batch: record.name, signal }) : exit;
  };
  const leave = (): Promise<void> => runner.leave(interruption.patienceMs());
  let followed: FollowEnd | { readonly why: 'detached' } | undefined;
  let [isUnderWay, isOver] = [false, false];
  try {
    await runner.open(signal);
    const started = await runner.start(record, request);
    isUnderWay = true;
    followed = detach ? { why: 'detached' } : await follow(runner, started, request, signal);
    // With nothing reserved, no answer can change a sum any more: the files can be written while the worker shuts down.
    isOver = followed.why === 'closed' && (await ledger.money(record.name)).reserved === 0;
  } catch (error) {
    await leave();
    if (error instanceof VoxbatchError || error instanceof LinkedFolder) {
      if (!isUnderWay) return { type: 'not-started', error };
      throw error;
    }
    if (!interruption.signal.aborted) throw error;
  }
  if (isOver) {
    const [made] = await Promise.allSettled([finishAndDeliver('closed'), leave()]);
    if (made.status === 'rejected') throw made.reason;
    return fault.aborted ? { type: 'fault', cause: fault.reason } : { type: 'ended', exit: made.value };
  }
  await leave();
  if (followed !== undefined && fault.aborted && !detach) return { type: 'fault', cause: fault.reason };
  if (followed?.why === 'broken') return { type: 'broken', message: followed.message };
  if (!interruption.signal.aborted) request.onLeft();
  return { type: 'ended', exit: await finishAndDeliver(followed?.why ?? 'aborted') };
}

/** Follows a batch to its end; delivers its hooks when it pauses by itself. */
async function follow(
  runner: BatchRunner,
  started: StartedBatch,
  { session, record, out, waitWhilePaused, show, say }: WorkRequest,
  signal: AbortSignal,
): Promise<FollowEnd> {
  const following = new AbortController();
  // `tune` may set a hook later.
  let { settings } = record;
  const onBatch = (batch: BatchRecord): void => {
    ({ settings } = batch);
  };
  // Notices are what hooks are sent. That of the end is delivered later, once the files exist.
  const deliveries = deliverNotices({
    ...ownNotices(session.settings, await session.api()),
    ledger: await session.ledger(),
    ...{ batch: record.name, event: 'paused', say, signal, until: following.signal },
    // A batch without hooks should cause no ledger queries.
    isWanted: () => hasHooks(settings),
  }).catch(() => undefined);
  try {
    return await show(withBatchStates(runner.follow(started, { out, signal, waitWhilePaused }), onBatch));
  } finally {
    following.abort();
    await deliveries;
  }
}

/** Whether a batch has hooks. Batches from earlier versions lack both settings. */
function hasHooks({ onEnd = null, notify = null }: Partial<BatchRecord['settings']>): boolean {
  return onEnd !== null || notify !== null;
}

/** Passes events through and reports each state of the batch. */
async function* withBatchStates(
  events: AsyncIterable<FollowEvent>,
  onBatch: (batch: BatchRecord) => void,
): AsyncGenerator<FollowEvent, void, undefined> {
  for await (const event of events) {
    if (event.type === 'progress') onBatch(event.standing.batch);
    yield event;
  }
}

/** Failing hooks are retried for this long before the process exits, ms. */
const RETRY_MS = 10_000;

interface HooksRequest extends Pick<WorkRequest, 'session' | 'say'> {
  readonly batch: string;
  readonly interruption: Pick<Interruption, 'signal' | 'exit'>;
  /** Aborts deliveries in flight. */
  readonly signal: AbortSignal;
}

/**
 * Delivers the hooks of a batch that has ended or paused. Returns the process's exit code, which is `exit` unless hooks
 * change it.
 */
export async function deliverHooks(
  exit: ExitName,
  why: 'closed' | 'paused',
  { batch, session, say, interruption, signal }: HooksRequest,
): Promise<ExitName> {
  const own = ownNotices(session.settings, await session.api());
  const isDone = await deliverBeforeExit({ ...own, ledger: await session.ledger(), batch, say, signal }, RETRY_MS);
  if (isDone) return exit;
  if (interruption.signal.aborted) return interruption.exit();
  return why === 'closed' ? exitWithPendingHook(exit) : exit;
}

/** Lets the session's ledger stop waiting for its database some seconds after the signal aborts. */
export async function endWaitingAfter(session: Pick<Session, 'ledger'>, signal: AbortSignal): Promise<void> {
  limitWaiting(await session.ledger(), signal);
}

/** Whether a batch's hook is still undelivered, because the process that worked on it was killed first. */
export async function hasUndeliveredHook(session: Session, batch: string): Promise<boolean> {
  return (await (await session.ledger()).noticesOf(batch)).some(isUndelivered);
}
