import type { ExitName } from '../../contract/exit-codes.ts';
import { isOwed } from '../../contract/hooks.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { exitWhileOwed } from '../../policy/exit-of.ts';
import { LinkedFolder } from '../../results/real-folders.ts';
import { deliverLast, deliverNotices, ownNotices } from '../hooks/deliver-notices.ts';
import type { FollowEnd, FollowEvent } from '../look/follow.ts';
import { VoxbatchError } from '../problem.ts';
import type { Session } from '../session.ts';
import { Workplace, type WorkplaceRequest } from '../work/workplace.ts';

/** A batch to follow. */
export interface FollowedBatch {
  readonly record: BatchRecord;
  /** False if a workflow of an earlier process may be there. */
  readonly isNew: boolean;
  /** Folder of its files, absolute; null: it has none. */
  readonly out: string | null;
}

/** How the work of this process on a batch ended. `aborted`: it was interrupted. */
export type WorkEnd = 'closed' | 'paused' | 'detached' | 'aborted';

/** What may come from outside meanwhile. */
export interface Interruption {
  /** Asks for an orderly end. */
  readonly signal: AbortSignal;
  /** How an interrupted process ends. */
  readonly exit: () => ExitName;
  /** How long to wait then for requests in flight, ms; undefined: as long as they may take. */
  readonly patienceMs: () => number | undefined;
  /** Aborts where the process exits at once. */
  readonly atOnce: AbortSignal;
}

/** What working on a batch needs. */
export interface WorkRequest
  extends FollowedBatch, Pick<WorkplaceRequest, 'worker' | 'say' | 'server' | 'webhook' | 'onWebhook' | 'onLog'> {
  readonly session: Session;
  readonly atFaultPoint?: WorkplaceRequest['atFaultPoint'];
  /** Only start it: others work on it. */
  readonly detach: boolean;
  /** Goes on waiting while it is paused. */
  readonly waitWhilePaused: boolean;
  readonly interruption: Interruption;
  /** Shows what happens to the batch, to its end. */
  readonly show: (events: AsyncIterable<FollowEvent>) => Promise<FollowEnd>;
  /** Called once nobody works here any more; for a closed batch earlier, so that its files do not wait for a worker that has other batches. */
  readonly finish: (end: WorkEnd) => Promise<ExitName>;
  /** Called before `finish`, if there was no interruption and nobody works here any more. */
  readonly onLeft: () => void;
}

/**
 * How it ended. `fault`: something that no retry fixes; the batch stands still. `broken`: its workflow ended again and again. `not-started`: a new batch was
 * refused before anybody worked on it, and is on record all the same.
 */
export type Worked =
  | { readonly type: 'ended'; readonly exit: ExitName }
  | { readonly type: 'fault'; readonly cause: unknown }
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'not-started'; readonly error: unknown };

/**
 * Has a batch worked on, and follows it: joins Temporal, starts a worker in this process (embedded), starts or finds
 * the workflow. An interruption ends it in order: the worker waits for its requests in flight, then leaves the server,
 * which stops if nobody else is in. The hooks of the batch come last. Throws {@link VoxbatchError}.
 */
export async function workOn(request: WorkRequest): Promise<Worked> {
  const { session, record, interruption, detach, finish } = request;
  const { settings } = session;
  const [ledger, store, open] = [await session.ledger(), await session.store(), await session.api()];
  const workplace = new Workplace({ ...request, settings, ledger, store, open });
  const { fault } = workplace;
  interruption.atOnce.addEventListener('abort', () => {
    workplace.leaveAtOnce();
  });
  const signal = AbortSignal.any([interruption.signal, fault]);
  const finishAndTell = async (end: WorkEnd): Promise<ExitName> => {
    // First, so that the files are there.
    const exit = await finish(end);
    const isTold = end === 'closed' || end === 'paused';
    return isTold ? tellLast(exit, end, { ...request, batch: record.name, signal }) : exit;
  };
  const leave = (): Promise<void> => workplace.leave(interruption.patienceMs());
  let followed: FollowEnd | { readonly why: 'detached' } | undefined;
  let [isUnderWay, isOver] = [false, false];
  try {
    await workplace.open(signal);
    isUnderWay = true;
    followed = await start(workplace, request, signal);
    // Then its files can be written while the worker is still ending: no answer can still change a sum.
    isOver = followed.why === 'closed' && (await ledger.money(record.name)).reserved === 0;
  } catch (error) {
    await leave();
    if (error instanceof VoxbatchError || error instanceof LinkedFolder) {
      if (request.isNew && !isUnderWay) return { type: 'not-started', error };
      throw error;
    }
    if (!interruption.signal.aborted) throw error;
  }
  if (isOver) {
    const [made] = await Promise.allSettled([finishAndTell('closed'), leave()]);
    if (made.status === 'rejected') throw made.reason;
    return fault.aborted ? { type: 'fault', cause: fault.reason } : { type: 'ended', exit: made.value };
  }
  await leave();
  if (followed !== undefined && fault.aborted && !detach) return { type: 'fault', cause: fault.reason };
  if (followed?.why === 'broken') return { type: 'broken', message: followed.message };
  if (!interruption.signal.aborted) request.onLeft();
  return { type: 'ended', exit: await finishAndTell(followed?.why ?? 'aborted') };
}

/** Starts a batch and follows it to its end, and tells its hooks when it pauses by itself. */
async function start(
  workplace: Workplace,
  { session, record, isNew, out, detach, waitWhilePaused, show, say }: WorkRequest,
  signal: AbortSignal,
): Promise<FollowEnd | { readonly why: 'detached' }> {
  const started = await workplace.start(record, { isNew });
  if (detach) return { why: 'detached' };
  const following = new AbortController();
  // `tune` may set a hook later.
  let { settings } = record;
  const seen = (batch: BatchRecord): void => {
    ({ settings } = batch);
  };
  // The event `ended` is delivered later, once the files are there.
  const telling = deliverNotices({
    ...ownNotices(session.settings, await session.api()),
    ledger: await session.ledger(),
    ...{ batch: record.name, event: 'paused', say, signal, until: following.signal },
    // So that a batch without hooks costs the ledger nothing.
    isWanted: () => hasHooks(settings),
  }).catch(() => undefined);
  try {
    return await show(noting(workplace.follow(started, { out, signal, waitWhilePaused }), seen));
  } finally {
    following.abort();
    await telling;
  }
}

/** Batches of earlier versions lack both. */
function hasHooks({ onEnd = null, notify = null }: Partial<BatchRecord['settings']>): boolean {
  return onEnd !== null || notify !== null;
}

/** The same events; each state of the batch is noted. */
async function* noting(
  events: AsyncIterable<FollowEvent>,
  note: (batch: BatchRecord) => void,
): AsyncGenerator<FollowEvent, void, undefined> {
  for await (const event of events) {
    if (event.type === 'progress') note(event.standing.batch);
    yield event;
  }
}

/** How long a failing hook is retried before the process ends, ms. */
const PATIENCE_MS = 10_000;

/** What telling hooks last needs. */
interface TellRequest extends Pick<WorkRequest, 'session' | 'say'> {
  readonly batch: string;
  readonly interruption: Pick<Interruption, 'signal' | 'exit'>;
  /** Cuts off what is being told. */
  readonly signal: AbortSignal;
}

/** Tells the hooks of a batch that has ended or paused, and returns how the process ends that would end with `exit`. */
export async function tellLast(
  exit: ExitName,
  why: 'closed' | 'paused',
  { batch, session, say, interruption, signal }: TellRequest,
): Promise<ExitName> {
  const own = ownNotices(session.settings, await session.api());
  const isTold = await deliverLast({ ...own, ledger: await session.ledger(), batch, say, signal }, PATIENCE_MS);
  if (isTold) return exit;
  if (interruption.signal.aborted) return interruption.exit();
  return why === 'closed' ? exitWhileOwed(exit) : exit;
}

/** Whether a hook of a batch is still to be told: whoever worked on it was killed before it had. */
export async function owesNotice(session: Session, batch: string): Promise<boolean> {
  return (await (await session.ledger()).noticesOf(batch)).some(isOwed);
}
