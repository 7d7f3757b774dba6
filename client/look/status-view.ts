import { doneOf, viewMoney } from './counts-view.ts';
import type { ActionRecord } from '../../contract/actions.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import type { HookTarget } from '../../contract/hooks.ts';
import { viewTunables } from './tunables-view.ts';
import type { BatchHere, BatchStatus } from './status.ts';

/** A listed batch for `--json`. Shares its facts with `status`, named as in `summary.json`. */
export function viewListed({ batch, counts, money }: BatchHere) {
  const time = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  const { budget, budgetLeft } = viewMoney(money, batch.settings.budget);
  return {
    batch: batch.name,
    state: batch.state,
    control: batch.control,
    exit: exitOfView({ batch, counts }),
    rows: counts.total,
    // Rows that have ended or were not chosen.
    done: doneOf(counts) + counts.notChosen,
    notChosen: counts.notChosen,
    outcomes: counts.outcomes,
    credits: money,
    budget,
    budgetLeft,
    halted: batch.halted,
    source: batch.source,
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

/** A batch's status for `--json`. */
export function viewStatus(status: BatchStatus) {
  const { batch, counts, workerEnd, pausedBy } = status;
  return {
    ...viewListed(status),
    exit: status.exit,
    states: counts.states,
    failures: status.failures,
    ...viewTunables(batch.settings),
    reasons: status.reasons,
    pauseReason: batch.pauseReason,
    pausedBy: pausedBy === undefined ? null : viewActor(pausedBy),
    deserted: status.isDeserted,
    // Undelivered hooks; those with a `trouble` are retried.
    hooks: status.hooks
      .filter(({ endedAt }) => endedAt === null)
      .map(({ target, event, trouble, dueAt }) => ({
        hook: flagOfHook(target),
        event,
        trouble,
        dueAt: new Date(dueAt),
      })),
    workerEnd: workerEnd === undefined ? null : { at: new Date(workerEnd.at), reason: workerEnd.reason },
  };
}

/** Who did something, when and why. */
function viewActor({ at, actor, reason }: ActionRecord) {
  return { at: new Date(at), by: actor.type, who: actor.name, reason };
}

/** The flag that set a hook. */
export function flagOfHook(target: HookTarget): string {
  return target === 'command' ? '--on-end' : '--notify';
}
