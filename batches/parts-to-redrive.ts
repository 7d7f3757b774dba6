import { hasResult } from '../contract/outcomes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowStanding } from '../ledger/record-types.ts';
import type { FoundRow, FoundRows, RedriveRules } from './redrive-draft.ts';

/**
 * The rows of a redrive, with the parts of a row in its stead: only a part can be sent again. Of a row whose parts are all
 * there, only the joining can be redone, and that is done to the row. An edited row stays, because its parts are those of
 * its old text.
 */
export function partsToRedrive(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  rows: FoundRows,
  { replace, step }: Pick<RedriveRules, 'replace' | 'step'>,
): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) {
        const { row } = found.scanned;
        const isOther = row.parts === null || row.outcome === null || (found.edit?.from ?? null) !== null;
        const parts = isOther ? [] : await ledger.partsOf(batch, row.row);
        // What is there of a row without a result stays, whoever named the row.
        const isAll = hasResult(row.outcome) && (replace || step !== null);
        const chosen = parts.filter((part) => isAll || isLacking(part));
        if (chosen.length === 0) yield found;
        else yield* chosen.map((scanned): FoundRow => ({ scanned, edit: null }));
      }
    },
  };
}

/** Whether a part has no result. */
function isLacking({ row }: RowStanding): boolean {
  return !hasResult(row.outcome);
}
