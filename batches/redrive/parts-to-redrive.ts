import { hasResult } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { FoundRow, FoundRows, RedriveRules } from './found-rows.ts';
import { meantParts } from '../rows/row-conditions.ts';

/**
 * The rows of a redrive, with the parts of a row in its stead: only a part can be sent again. Who asks for rows that ended
 * in some way asks for the parts that did, and pays for no other. Of a row whose parts are all there, only the joining can
 * be redone, and that is done to the row. An edited row stays, because its parts are those of its old text, and one that goes back to a
 * take, because its parts have takes of their own.
 */
export function partsToRedrive(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  rows: FoundRows,
  { replace, step, only = {} }: Pick<RedriveRules, 'replace' | 'step' | 'only'>,
): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      const seen = new Set<number>();
      for await (const found of rows) {
        const { row } = found.scanned;
        const isOther =
          row.parts === null ||
          row.outcome === null ||
          (found.edit?.from ?? null) !== null ||
          found.earlier !== undefined;
        const parts = isOther ? [] : await ledger.partsOf(batch, row.row);
        // What is there of a row without a result stays, whoever named the row.
        const isAll = hasResult(row.outcome) && (replace || step !== null);
        const chosen = isAll ? parts : meantParts(row, parts, only);
        const all = chosen.length === 0 ? [found] : chosen.map((scanned): FoundRow => ({ scanned, edit: null }));
        for (const one of all) {
          // A part may be named besides its row.
          const { row: number, partOf } = one.scanned.row;
          if (partOf !== null && seen.has(number)) continue;
          if (partOf !== null) seen.add(number);
          yield one;
        }
      }
    },
  };
}
