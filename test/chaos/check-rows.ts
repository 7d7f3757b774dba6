import type { BatchFiles } from './batch-files.ts';
import type { Finding } from './finding.ts';
import { isOwnedBy, type AttemptView } from './ledger-view.ts';
import type { Doubt } from './perform.ts';

/** Every id of the manifest once in the results, in order, and with an outcome. */
export function checkRows(batches: readonly BatchFiles[]): Finding {
  const broken = batches.flatMap(({ name, manifestIds, csvIds, results }) => [
    ...(same(manifestIds, csvIds) ? [] : [`${name}: ${manifestIds.length} rows in, ${csvIds.length} in results.csv`]),
    ...(same(
      manifestIds,
      results.map(({ id }) => id),
    )
      ? []
      : [`${name}: results.jsonl has other rows`]),
    ...results.filter(({ _outcome }) => _outcome === '').map(({ id }) => `${name}/${id} has no outcome`),
  ]);
  const counts = new Map<string, number>();
  for (const { _outcome } of batches.flatMap(({ results }) => results)) {
    counts.set(_outcome, (counts.get(_outcome) ?? 0) + 1);
  }
  const seen = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return { promise: 'rows in = rows out', broken, seen };
}

/**
 * Rows are in doubt only because of a fault that can leave them so: each was on the wire of a process when it was struck, or of
 * any while the API's link lost answers, or met a lie of the API. And there are no more of them than requests were on the wire then.
 */
export function checkUnknown(
  batches: readonly BatchFiles[],
  attempts: readonly AttemptView[],
  doubts: readonly Doubt[],
  mostDoubtful: number,
): Finding[] {
  const rows = batches.flatMap(({ name, results }) =>
    results.filter(({ _outcome }) => _outcome === 'unknown').map(({ _row }) => `${name}/${_row}`),
  );
  const isUnknown = new Set(rows);
  const doubtful = attempts.filter(({ batch, row, state }) => state === 'unknown' && isUnknown.has(`${batch}/${row}`));
  const unexplained = doubtful.filter((attempt) => !doubts.some((doubt) => explains(doubt, attempt)));
  const exposed = new Set(
    doubts.flatMap((doubt) => attempts.filter((attempt) => explains(doubt, attempt)).map(placeOf)),
  ).size;
  const most = exposed + mostDoubtful;
  return [
    {
      promise: 'rows are unknown only where a fault can leave them so',
      broken:
        unexplained.length <= mostDoubtful
          ? []
          : unexplained.map(
              (attempt) => `${placeOf(attempt)}: no event explains it (the API lied ${mostDoubtful} times at most)`,
            ),
      seen: `${doubtful.length - unexplained.length} by events, ${unexplained.length} by lies of the API`,
    },
    {
      promise: 'no more rows are unknown than requests were on the wire',
      broken: rows.length <= most ? [] : [`${rows.length} are unknown`],
      seen: `${rows.length} unknown; ${exposed} on the wire in an event, ${mostDoubtful} lies at most`,
    },
  ];
}

/** True if the attempt was between intent and verdict while the event could cost it its answer. */
function explains({ pid, from, until }: Doubt, attempt: AttemptView): boolean {
  if (pid !== undefined && !isOwnedBy(attempt, pid)) return false;
  return attempt.intentAt <= until && (attempt.verdictAt ?? Infinity) >= from;
}

function placeOf({ batch, row, step, attempt }: AttemptView): string {
  return `${batch}/${row}/${step}/${attempt}`;
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}
