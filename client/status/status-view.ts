import { endedOf, resultsOf, viewMoney } from './counts-view.ts';
import type { PaceView } from './pace.ts';
import type { ActionRecord } from '../../contract/actions.ts';
import { exitOfView } from '../../batches/status/view-batch.ts';
import { viewFailure } from '../../contract/failures.ts';
import { viewExit } from '../../contract/exit-codes.ts';
import { shownControl } from '../../contract/outcomes.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import type { HookTarget } from '../../contract/hooks.ts';
import { viewTunables } from '../control/tunables-view.ts';
import type { Standing } from './follow.ts';
import type { BatchHere, BatchStatus } from './status.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { OldestRow } from '../../ledger/batches/progress.ts';

/** Views a listed batch for `--json`. Its facts are also in `status`, and named as in `summary.json`. */
export function viewListed({ batch, counts, money }: Pick<BatchHere, 'batch' | 'counts' | 'money'>) {
  const time = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  const { budget, budgetLeft } = viewMoney(money, batch.settings.budget);
  return {
    batch: batch.name,
    state: batch.state,
    /** Whether the batch runs, is paused or is stopping; null once it is closed. */
    control: shownControl(batch),
    ...viewExit(exitOfView({ batch, counts })),
    rows: counts.total,
    /** Rows with a result. */
    done: resultsOf(counts),
    /** Chosen rows that have ended, with a result or without. */
    ended: endedOf(counts),
    notChosen: counts.notChosen,
    outcomes: counts.outcomes,
    credits: money,
    budget,
    budgetLeft,
    halted: batch.halted,
    manifest: batch.source,
    single: batch.settings.single ?? null,
    manifestDigest: batch.digest,
    api: batch.apiUrl,
    apiDialect: dialectChoiceOf(batch.settings),
    account: batch.account,
    createdAt: new Date(batch.createdAt),
    startedAt: time(batch.startedAt),
    endedAt: time(batch.closedAt),
    mediaRemovedAt: time(batch.cleaned.media),
    rowsRemovedAt: time(batch.cleaned.rows),
  };
}

/** Views a batch's status for `--json`. */
export function viewStatus(status: BatchStatus) {
  const { batch, workerEnd, pausedBy } = status;
  return {
    ...viewListed(status),
    ...viewExit(status.exit),
    ...viewGoing(status),
    /** Why nothing more can be recorded, if the disk of the ledger is full; null while it has room. */
    ledgerFull: status.whyFull ?? null,
    /** Number of living workers that wait for the store, since when, and its error; null if none waits. */
    storeWait: viewStoreWaits(status),
    failures: status.failures.map(viewFailure),
    moreFailures: status.moreFailures,
    ...viewTunables(batch.settings),
    pauseReason: batch.pauseReason === null ? null : viewFailure(batch.pauseReason),
    pausedBy: pausedBy === undefined ? null : viewActor(pausedBy),
    deserted: status.isDeserted,
    /**
     * Processes that work in this folder while the batch is open; empty on a cluster, and where the system lists none.
     */
    processes: status.processes.map(({ pid, command, startedAt, isDetached }) => ({
      ...{ pid, command, startedAt: new Date(startedAt), detached: isDetached },
    })),
    // Undelivered hooks; those with a `problem` are retried.
    hooks: status.hooks
      .filter(({ endedAt }) => endedAt === null)
      .map(({ target, event, trouble: problem, dueAt }) => ({
        hook: flagOfHook(target),
        event,
        problem,
        dueAt: new Date(dueAt),
      })),
    workerEnd: workerEnd === undefined ? null : { at: new Date(workerEnd.at), reason: workerEnd.reason },
  };
}

/** Views a running batch for an event of `--progress json`. Its facts are also in `status`. */
export function viewProgress(standing: Standing) {
  const { batch, state, control, rows, done, ended, notChosen, outcomes, credits, budget, budgetLeft } =
    viewListed(standing);
  return {
    ...{ batch, state, control, rows, done, ended, notChosen, outcomes, credits, budget, budgetLeft },
    ...viewGoing(standing),
  };
}

function viewGoing(standing: Standing & { readonly pace: PaceView }) {
  const { batch, counts, reasons, oldest, pace } = standing;
  return {
    states: counts.states,
    ...pace,
    ...viewApi(standing),
    reasons: reasons.map(viewFailure),
    /** The open row whose job has run the longest; null if none runs. */
    oldest: oldest === undefined ? null : viewOldest(oldest, batch),
  };
}

function viewOldest({ row, id, partOf, step, since, waitedSince }: OldestRow, { settings }: BatchRecord) {
  const deadline = new Date(waitedSince + settings.jobDeadlineMs);
  return { row, id, partOf, step, since: new Date(since), deadline };
}

function viewStoreWaits({ storeWaits }: BatchStatus) {
  if (storeWaits === undefined) return null;
  const { workers, first } = storeWaits;
  return { workers, since: new Date(first.since), problem: first.problem };
}

function viewApi({ api }: Pick<Standing, 'api'>) {
  const limited = api?.limited ?? null;
  return {
    /** Since when the API has answered no call normally; null if it answers, or no worker calls it. */
    silentSince: api?.silence == null ? null : new Date(api.silence.since),
    /** Max paid requests per second, because the API refused more (429); null without a refusal. */
    limited: limited === null ? null : { rate: limited.rate, refusedAt: new Date(limited.refusedAt) },
  };
}

/** Views who did something, when and why. */
function viewActor({ at, actor, reason }: ActionRecord) {
  return { at: new Date(at), by: actor.type, who: actor.name, reason };
}

/** The flag that set a hook. */
export function flagOfHook(target: HookTarget): string {
  return target === 'command' ? '--on-end' : '--notify';
}
