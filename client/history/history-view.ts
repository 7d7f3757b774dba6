import type { ActionRecord } from '../../contract/actions.ts';
import { countRows } from '../../policy/history/row-ranges.ts';
import type { History } from './history.ts';

/** Views the history of a batch or a schedule for `--json`; newest last. */
export function viewHistory({ batch, schedule, actions }: History) {
  return { batch, schedule, actions: actions.map(viewAction) };
}

/**
 * Views an action for `--json`. `rows`: number of affected rows; `ranges`: their numbers as pairs, first and last;
 * `from` and `to`: the times that a backfill of a schedule covered.
 */
export function viewAction({ at, kind, actor, reason, details, rows }: ActionRecord) {
  const { credits, budget, changed, isNow, jobId, removed, results, range } = details;
  return {
    at: new Date(at),
    what: kind,
    by: actor.type,
    who: actor.name,
    reason,
    rows: rows === null ? null : countRows(rows),
    ranges: rows,
    ...(credits === undefined ? {} : { credits }),
    ...(budget === undefined ? {} : { budget }),
    ...(changed === undefined
      ? {}
      : { changed: Object.entries(changed).map(([setting, { from, to }]) => ({ setting, from, to })) }),
    ...(isNow === undefined ? {} : { now: isNow }),
    ...(jobId === undefined ? {} : { jobId }),
    ...(removed === undefined ? {} : { removed }),
    ...(results === undefined ? {} : { results }),
    ...(range === undefined ? {} : { from: new Date(range.from), to: new Date(range.until) }),
  };
}
