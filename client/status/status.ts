import type { ActionRecord } from '../../contract/actions.ts';
import { isSingle } from '../../contract/batch.ts';
import { defaultOut } from '../../contract/batch-name.ts';
import type { Leftovers } from '../../batches/status/leftovers.ts';
import { groupFailures, NO_FAILURES, type FailureGroups } from '../../batches/status/failure-groups.ts';
import { exitOfView, viewBatch, type BatchView } from '../../batches/status/view-batch.ts';
import type { Standstill } from '../../batches/status/standstill.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { endsOf } from './counts-view.ts';
import { isUndelivered } from '../../contract/hooks.ts';
import { nextCommand, type NextCommand } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { NoticeRecord } from '../../ledger/notices/notices.ts';
import type { WorkerEnd } from '../../ledger/lanes/workers.ts';
import { exitWithPendingHook } from '../../policy/exit-of.ts';
import { chooseBatch } from '../open-records.ts';
import type { Settings } from '../settings.ts';
import type { HomeProcess } from '../temporal/home-processes.ts';
import { isLedgerUnconfirmed } from '../trust/known-ledgers.ts';
import { adviceFor, continueCommand, isPaused, pauseOf, workCommand, type Pause } from './continue-command.ts';
import { paceOf, type Pace, type PaceView, paceWhile } from './pace.ts';
import { haltedSteps, nextSteps, type NextStep } from './next-steps.ts';

/** A batch's current state, and whether anybody on this machine works on it. */
export interface BatchHere extends BatchView {
  /** True if it certainly has no worker. */
  readonly isDeserted: boolean;
  /** True if the ledger knows of a living worker of its account. */
  readonly isServed: boolean;
  /** True if its workers run elsewhere: `run` only follows it. */
  readonly isCluster: boolean;
  /** True if the ledger may have come with the folder, so no commands are suggested from it. */
  readonly isLedgerUnconfirmed: boolean;
  /** What to do if its ledger takes no work, so that nothing can continue it here. */
  readonly readOnlyAdvice?: string | undefined;
  /** Why the last worker ended, if it could not continue and has no successor. */
  readonly workerEnd?: WorkerEnd | undefined;
  /** Who paused it, if it is paused. */
  readonly pausedBy?: ActionRecord | undefined;
}

/** A next step for a batch in any state. */
export type StatusStep =
  | NextStep
  /** Nobody has confirmed its ledger, so no other step is shown. */
  | { readonly why: 'unconfirmed' }
  /**
   * Its ledger takes no work: it has moved, is being filled, or is a copy that nobody has accepted. `advice`: a
   * sentence with the next command.
   */
  | { readonly why: 'read-only'; readonly advice: string }
  | { readonly why: 'paused'; readonly pause: Pause }
  | { readonly why: 'standstill'; readonly standstill: Standstill }
  /** `goOn` resumes it. */
  | { readonly why: 'loading' | 'deserted'; readonly goOn: NextCommand }
  /** `goOn`: if it may have no worker; undefined while one is known to live. */
  | { readonly why: 'follow'; readonly watch: NextCommand; readonly goOn: NextCommand | undefined }
  /** Its default out folder lacks its current files. */
  | { readonly why: 'unwritten'; readonly write: NextCommand };

/** Everything that `status` reports. */
export interface BatchStatus extends BatchHere, FailureGroups {
  /** Past and future deliveries of `--on-end` and `--notify`. */
  readonly hooks: readonly NoticeRecord[];
  readonly pace: PaceView;
  /** The processes that work in this home while it is open, with an embedded server. */
  readonly processes: readonly HomeProcess[];
  /** Its exit code. */
  readonly exit: ExitName;
  /** Most urgent first. */
  readonly next: readonly StatusStep[];
}

/** Reads a batch (the newest, if none is named) with its counts and sums, and checks whether it has a worker. */
export async function batchHere(ledger: Ledger, settings: Settings, name: string | undefined): Promise<BatchHere> {
  const view = await viewBatch(ledger, await chooseBatch(ledger, name));
  const { batch, standstill } = view;
  const isDeserted = batch.state === 'open' && (await isDesertedHere(ledger, settings));
  const hasNoWorker = isDeserted || standstill === 'no-worker';
  return {
    ...view,
    // When embedded, `isDeserted` is the better evidence of a missing worker; on a cluster, the standstill is.
    standstill: standstill === 'no-worker' && settings.cluster === undefined ? undefined : standstill,
    isDeserted,
    isServed: !hasNoWorker,
    isCluster: settings.cluster !== undefined,
    isLedgerUnconfirmed: isLedgerUnconfirmed(settings, ledger),
    readOnlyAdvice: await adviceFor(ledger, batch),
    workerEnd: hasNoWorker ? await ledger.lastWorkerEnd(batch.apiUrl, batch.account) : undefined,
    pausedBy: isPaused(batch) ? (await ledger.actionsOf({ batch: batch.name, kinds: ['pause'] })).at(-1) : undefined,
  };
}

async function isDesertedHere(ledger: Ledger, { home }: Settings): Promise<boolean> {
  const { isDeserted } = await import('../temporal/home-processes.ts');
  return isDeserted(ledger, home);
}

/** Reads a batch's status; the newest batch's, if none is named. */
export async function readStatus(ledger: Ledger, settings: Settings, name: string | undefined): Promise<BatchStatus> {
  const here = await batchHere(ledger, settings, name);
  const status = await completeStatus(
    ledger,
    here,
    await paceOf(ledger, here),
    await ledger.noticesOf(here.batch.name),
  );
  if (here.batch.state !== 'open' || here.isCluster || here.isDeserted) return status;
  const { processesIn } = await import('../temporal/home-processes.ts');
  return { ...status, processes: processesIn(settings.home) };
}

/**
 * Reads a batch's status for a display that repeats it, such as the page. Omits the groups of failures, which require
 * reading all failed rows.
 *
 * @param options.slow opens the ledger that the next steps of a closed batch are read from, which requires reading all
 *   failed rows, too; undefined omits these steps
 * @param options.out folder of its files. Default: its default out folder
 */
export async function readLiveStatus(
  ledger: Ledger,
  settings: Settings,
  name: string,
  {
    pace,
    slow,
    out,
  }: { readonly pace: Pace; readonly slow: (() => Promise<Ledger>) | undefined; readonly out?: string },
): Promise<BatchStatus> {
  const here = await batchHere(ledger, settings, name);
  const { batch, counts } = here;
  const status = statusFromCounts(here, pace.update(performance.now(), batch, counts));
  if (batch.state !== 'closed' || slow === undefined) return status;
  const { leftovers, isThere } = await readEnd(await slow(), here);
  return { ...status, hooks: await ledger.noticesOf(batch.name), next: nextFor(here, leftovers, isThere, out) };
}

/** Adds failure reasons and next steps to a batch. `hooks`: those that affect its exit code. */
export async function completeStatus(
  ledger: Ledger,
  here: BatchHere,
  pace: PaceView,
  hooks: readonly NoticeRecord[] = [],
): Promise<BatchStatus> {
  const { batch } = here;
  const groups = await groupFailures(ledger, here);
  const { leftovers, isThere } = batch.state === 'closed' ? await readEnd(ledger, here) : NOT_ENDED;
  const exit = exitOfView(here);
  return {
    ...here,
    ...groups,
    hooks,
    processes: [],
    pace: paceWhile(here, pace),
    exit: batch.state === 'closed' && hooks.some(isUndelivered) ? exitWithPendingHook(exit) : exit,
    next: nextFor(here, leftovers, isThere),
  };
}

const NOT_ENDED = { leftovers: undefined, isThere: false };

/**
 * A closed batch's leftovers (none, if every row has a result), and whether its default out folder has its files. The
 * code for this is only loaded for ended batches.
 */
async function readEnd(
  ledger: Ledger,
  here: BatchHere,
): Promise<{ leftovers: Leftovers | undefined; isThere: boolean }> {
  const { batch, counts, money } = here;
  const isThere = await areFilesThere(here);
  const isAllWell = batch.halted === null && money.uncertain === 0 && endsOf(counts).every(([end]) => hasResult(end));
  const { limitsLength } = await import('../../batches/status/limits-length.ts');
  if (isAllWell && !limitsLength(batch)) return { leftovers: undefined, isThere };
  const { gatherLeftovers } = await import('../../batches/status/leftovers.ts');
  return { leftovers: await gatherLeftovers(ledger, batch, counts), isThere };
}

/** Whether the default out folder of a closed batch has its files. Reads one small file. */
export async function areFilesThere(here: Pick<BatchHere, 'batch' | 'counts' | 'money'>): Promise<boolean> {
  const { isWritten } = await import('../../results/is-written.ts');
  return isWritten(defaultOut(here.batch.name), here);
}

/** A running batch's status: only counts, because failure reasons require reading every row. */
export function statusFromCounts(here: BatchHere, pace: PaceView): BatchStatus {
  return {
    ...here,
    ...NO_FAILURES,
    hooks: [],
    processes: [],
    pace: paceWhile(here, pace),
    exit: exitOfView(here),
    next: nextFor(here, undefined, true),
  };
}

/** Determines the next steps. `leftovers`: those of a closed batch; undefined if it has none. */
function nextFor(
  here: BatchHere,
  leftovers: Leftovers | undefined,
  areFilesThere: boolean,
  out = defaultOut(here.batch.name),
): readonly StatusStep[] {
  const { batch, standstill } = here;
  const { name } = batch;
  if (here.isLedgerUnconfirmed) return [{ why: 'unconfirmed' }];
  if (here.readOnlyAdvice !== undefined) return [{ why: 'read-only', advice: here.readOnlyAdvice }];
  if (batch.state === 'loading') return [{ why: 'loading', goOn: continueCommand(batch) }];
  if (batch.state === 'open') {
    if (isPaused(batch)) return [{ why: 'paused', pause: pauseOf(batch, here) }];
    const goOn = workCommand(batch, here.isCluster);
    const watch = nextCommand('watch', name);
    const follow: StatusStep = here.isDeserted
      ? { why: 'deserted', goOn }
      : { why: 'follow', watch, goOn: here.isServed ? undefined : goOn };
    // If the last worker ended because of the full disk, `status` shows that already.
    const isShown = standstill === undefined || (standstill === 'ledger-full' && here.workerEnd !== undefined);
    const stuck: readonly StatusStep[] = isShown ? [] : [{ why: 'standstill', standstill }];
    return [...haltedSteps(batch), ...stuck, ...(standstill === 'no-worker' ? [] : [follow])];
  }
  // Cluster workers write no files.
  const write = nextCommand('results', name);
  const files: readonly StatusStep[] = areFilesThere ? [] : [{ why: 'unwritten', write }];
  return [...(leftovers === undefined ? [] : nextSteps({ ...here, leftovers, out })), ...files];
}

/** A ledger's batches, and the number of single jobs left out. */
export interface BatchList {
  readonly batches: readonly BatchHere[];
  readonly hidden: number;
}

/**
 * Lists the ledger's batches, newest first. Single jobs are only counted unless requested: hundreds of them would bury
 * the batches.
 */
export async function listBatches(
  ledger: Ledger,
  settings: Settings,
  which: 'batches' | 'single' | 'all',
): Promise<BatchList> {
  const all = (await ledger.listBatches()).toSorted((a, b) => b.createdAt - a.createdAt);
  const shown = all.filter((batch) => which === 'all' || isSingle(batch) === (which === 'single'));
  const batches: BatchHere[] = [];
  for (const { name } of shown) batches.push(await batchHere(ledger, settings, name));
  return { batches, hidden: which === 'single' ? 0 : all.length - shown.length };
}
