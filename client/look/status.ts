import { isSingle } from '../../contract/batch.ts';
import { defaultOut } from '../../contract/batch-name.ts';
import type { Leftovers } from '../../batches/look/leftovers.ts';
import {
  exitOfView,
  groupFailures,
  viewBatch,
  type BatchView,
  type FailureGroup,
  type Standstill,
} from '../../batches/look/view-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { endsOf } from './counts-view.ts';
import { isOwed } from '../../contract/hooks.ts';
import { nextCommand, type NextCommand } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { NoticeRecord } from '../../ledger/notices/notices.ts';
import type { WorkerEnd } from '../../ledger/lanes/workers.ts';
import { exitWhileOwed } from '../../policy/exit-of.ts';
import { chooseBatch } from '../open-records.ts';
import type { Settings } from '../settings.ts';
import { isStranger } from '../trust/known-ledgers.ts';
import { continueCommand, pauseOf, type Pause } from './continue-command.ts';
import { haltedSteps, nextSteps, type NextStep } from './next-steps.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** A batch as it stands, and whether anybody on this machine works on it. */
export interface BatchHere extends BatchView {
  /** True if it is certain that nobody works on it. */
  readonly isDeserted: boolean;
  /** True if the ledger may have come with the folder, so that no command is advised from it. */
  readonly isStranger: boolean;
  /** Why the last worker ended, if it could not go on and nobody works on the batch now. */
  readonly workerEnd?: WorkerEnd | undefined;
}

/** What can be done next about a batch, whatever its state. */
export type StatusStep =
  | NextStep
  /** Nobody has confirmed its ledger, so no other step is shown. */
  | { readonly why: 'unconfirmed' }
  | { readonly why: 'paused'; readonly pause: Pause }
  | { readonly why: 'standstill'; readonly standstill: Standstill }
  /** `goOn` continues it; of `follow`, if it has no worker. */
  | { readonly why: 'loading' | 'deserted'; readonly goOn: NextCommand }
  | { readonly why: 'follow'; readonly watch: NextCommand; readonly goOn: NextCommand }
  /** Its usual out folder lacks its current files. */
  | { readonly why: 'unwritten'; readonly write: NextCommand };

/** All that the status of a batch says. */
export interface BatchStatus extends BatchHere {
  /** The most frequent reasons for rows without a result. */
  readonly failures: readonly FailureGroup[];
  /** Past and future deliveries of `--on-end` and `--notify`. */
  readonly hooks: readonly NoticeRecord[];
  /** Its exit code. */
  readonly exit: ExitName;
  /** Most urgent first. */
  readonly next: readonly StatusStep[];
}

/** Reads a batch with its counts and sums, and looks whether somebody is at work; without a name the newest one. */
export async function batchHere(ledger: Ledger, settings: Settings, name: string | undefined): Promise<BatchHere> {
  const view = await viewBatch(ledger, await chooseBatch(ledger, name));
  const { batch, standstill } = view;
  const isLeft = batch.state === 'open' && (await isLeftAlone(ledger, settings));
  return {
    ...view,
    // That nobody is there is known better by `isDeserted`, but on a cluster, where a worker is what it wants.
    standstill: standstill === 'no-worker' && settings.cluster === undefined ? undefined : standstill,
    isDeserted: isLeft,
    isStranger: isStranger(settings, ledger),
    workerEnd: isLeft ? await ledger.lastWorkerEnd(batch.apiUrl, batch.account) : undefined,
  };
}

async function isLeftAlone(ledger: Ledger, { home }: Settings): Promise<boolean> {
  const { isDeserted } = await import('../temporal/anybody-in.ts');
  return isDeserted(ledger, home);
}

/** The status of a batch; without a name of the newest one. */
export async function readStatus(ledger: Ledger, settings: Settings, name: string | undefined): Promise<BatchStatus> {
  const here = await batchHere(ledger, settings, name);
  return completed(ledger, here, await ledger.noticesOf(here.batch.name));
}

/** A batch that was looked at, with why rows failed and what to do. `hooks`: those that count for its exit code. */
async function completed(ledger: Ledger, here: BatchHere, hooks: readonly NoticeRecord[] = []): Promise<BatchStatus> {
  const { batch } = here;
  const failures = await groupFailures(ledger, here);
  const { leftovers, isThere } = batch.state === 'closed' ? await readEnd(ledger, here) : NOT_ENDED;
  const exit = exitOfView(here);
  return {
    ...here,
    failures,
    hooks,
    exit: batch.state === 'closed' && hooks.some(isOwed) ? exitWhileOwed(exit) : exit,
    next: nextFor(here, leftovers, isThere),
  };
}

const NOT_ENDED = { leftovers: undefined, isThere: false };

/** What is left to do about a closed batch (nothing, if every row has a result), and whether its usual out folder has its files. Its code is loaded for one that has ended. */
async function readEnd(
  ledger: Ledger,
  here: BatchHere,
): Promise<{ leftovers: Leftovers | undefined; isThere: boolean }> {
  const { batch, counts, money } = here;
  const { isWritten } = await import('../../results/is-written.ts');
  const isThere = await isWritten(defaultOut(batch.name), here);
  const isAllWell = batch.halted === null && money.uncertain === 0 && endsOf(counts).every(([end]) => hasResult(end));
  if (isAllWell) return { leftovers: undefined, isThere };
  const { gatherLeftovers } = await import('../../batches/look/leftovers.ts');
  return { leftovers: await gatherLeftovers(ledger, batch, counts), isThere };
}

/** The same while it runs: only counts, because reasons cost a read of every row. */
export function atOnce(here: BatchHere): BatchStatus {
  return { ...here, failures: [], hooks: [], exit: exitOfView(here), next: nextFor(here, undefined, true) };
}

/** What to do next. `leftovers`: of a closed batch. */
function nextFor(here: BatchHere, leftovers: Leftovers | undefined, areFilesThere: boolean): readonly StatusStep[] {
  const { batch, standstill } = here;
  const { name } = batch;
  if (here.isStranger) return [{ why: 'unconfirmed' }];
  const goOn = continueCommand(batch);
  if (batch.state === 'loading') return [{ why: 'loading', goOn }];
  if (batch.state === 'open') {
    if (batch.control === 'paused') return [{ why: 'paused', pause: pauseOf(batch, here) }];
    const watch = nextCommand('watch', name);
    const follow: StatusStep = here.isDeserted ? { why: 'deserted', goOn } : { why: 'follow', watch, goOn };
    const still: readonly StatusStep[] = standstill === undefined ? [] : [{ why: 'standstill', standstill }];
    return [...haltedSteps(batch), ...still, ...(standstill === 'no-worker' ? [] : [follow])];
  }
  // The workers may have written none: those of a cluster do not.
  const write = nextCommand('results', name);
  const files: readonly StatusStep[] = areFilesThere ? [] : [{ why: 'unwritten', write }];
  return [...(leftovers === undefined ? [] : nextSteps({ ...here, leftovers, out: defaultOut(name) })), ...files];
}

/** The batches of a ledger, and how many single jobs are not among them. */
export interface BatchList {
  readonly batches: readonly BatchHere[];
  readonly hidden: number;
}

/**
 * The batches of the ledger, the newest first. Single jobs are only counted unless they are asked for: hundreds of them
 * would bury the batches.
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

/**
 * When the present work on a batch began, ms: with its first request, or when it was last opened again, so that the days
 * in between do not count. Undefined: it has not begun.
 */
export function workSpan({
  startedAt,
  reopenedAt,
}: Pick<BatchView['batch'], 'startedAt' | 'reopenedAt'>):
  { readonly from: number; readonly isReopened: boolean } | undefined {
  if (startedAt === null) return undefined;
  const isReopened = reopenedAt !== null && reopenedAt > startedAt;
  return { from: isReopened ? reopenedAt : startedAt, isReopened };
}

/** Pause between two reads of the ledger, ms. */
const LOOK_EVERY_MS = 500;
/** How long a batch that nobody works on is watched, ms: the command that has just made it may still be starting. */
export const PATIENCE_MS = 10_000;

/**
 * What watching a batch shows. `progress`: at every look. `deserted`: it has no worker, and is given up soon unless one comes. `ended`: the last
 * one: it is finished, paused, or deserted, or the signal has aborted.
 */
export interface WatchEvent {
  readonly type: 'progress' | 'deserted' | 'ended';
  readonly status: BatchStatus;
}

/** Watches a batch until it is finished, paused, or nobody works on it any more. Starts nothing. */
export async function* watchBatch(
  ledger: Ledger,
  settings: Settings,
  name: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void, undefined> {
  let here = await batchHere(ledger, settings, name);
  let leftAt: number | undefined;
  while (!isOver(here) && !signal.aborted) {
    if (!here.isDeserted) leftAt = undefined;
    else if (leftAt === undefined) {
      leftAt = performance.now();
      yield { type: 'deserted', status: atOnce(here) };
    }
    if (leftAt !== undefined && performance.now() - leftAt >= PATIENCE_MS) break;
    yield { type: 'progress', status: atOnce(here) };
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    here = await batchHere(ledger, settings, here.batch.name);
  }
  yield { type: 'ended', status: await completed(ledger, here) };
}

function isOver({ batch }: BatchHere): boolean {
  return batch.state === 'closed' || (batch.state === 'open' && batch.control === 'paused');
}
