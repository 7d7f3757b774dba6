import type { FailureClass } from '../../contract/failures.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import type { Kind } from '../../contract/row-kinds.ts';
import type { RowRecord, RowStanding } from '../../ledger/record-types.ts';

/** What chosen rows have in common. A row must meet all given conditions. */
export interface RowConditions {
  /** How the row ended; any of these. */
  readonly outcomes?: readonly Outcome[];
  /** Class of its failure; any of these. */
  readonly classes?: readonly FailureClass[];
  readonly kinds?: readonly Kind[];
}

/** Whether a row, or a part, meets the conditions by itself. */
export function meets(row: RowRecord, { outcomes, classes, kinds }: RowConditions): boolean {
  return (
    (outcomes === undefined || (row.outcome !== null && outcomes.includes(row.outcome))) &&
    (classes === undefined || (row.failure !== null && classes.includes(row.failure.class))) &&
    (kinds === undefined || kinds.includes(row.kind))
  );
}

/**
 * The parts of a row that meet the conditions: those without a result that meet them by themselves, whatever the row
 * ended as. If a row failed only because parts are unfit, these have failed.
 */
export function matchingParts<Part extends Pick<RowStanding, 'row'>>(
  whole: RowRecord,
  parts: readonly Part[],
  conditions: RowConditions,
): readonly Part[] {
  const lacking = parts.filter(({ row }) => !hasResult(row.outcome));
  const matching = lacking.filter(({ row }) => meets(row, conditions));
  if (matching.length > 0 || !meets(whole, conditions)) return matching;
  return lacking.filter(({ row }) => row.outcome === 'unfit' && meets({ ...row, outcome: 'failed' }, conditions));
}
