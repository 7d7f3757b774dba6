import type { ActionRecord } from '../../contract/actions.ts';
import { countRows } from '../../policy/history/row-ranges.ts';
import type { History } from './history.ts';

/** What was done to a batch or a schedule, for programs; the newest last. */
export function viewHistory({ batch, schedule, actions }: History) {
  return { batch, schedule, actions: actions.map(viewAction) };
}

/** An action for programs. `rows`: how many it is about; `ranges`: their numbers, first and last. */
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
