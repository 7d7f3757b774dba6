import type { UnlikeRow } from '../../batches/compare/compare-batches.ts';
import { dialectOf } from '../../contract/row-kinds.ts';
import type { RowStanding } from '../../ledger/record-types.ts';
import type { DifferenceLine, DifferenceSide } from '../../results/compare/difference-table.ts';
import { creditsOf, wasMade } from '../../results/result-line.ts';

/** A row that differs as a line of the table, and for machines. */
export function differenceLine(row: UnlikeRow): DifferenceLine {
  if (row.type === 'only') {
    const side = sideOf(row.row, null);
    const sides = row.side === 0 ? ([side, null] as const) : ([null, side] as const);
    return { id: row.row.row.id, differs: ['only'], input: [], words: null, sides };
  }
  const { rows, sides, parity, input } = row;
  return {
    id: rows[0].row.id,
    differs: parity.differences,
    input,
    words: parity.words,
    sides: [sideOf(rows[0], sides[0].seconds), sideOf(rows[1], sides[1].seconds)],
  };
}

function sideOf({ row, charges }: RowStanding, seconds: number | null): DifferenceSide {
  return {
    row: row.row,
    dialect: dialectOf(row.spec),
    outcome: row.outcome,
    errorClass: row.failure?.class ?? null,
    seconds,
    credits: creditsOf(charges),
    attempts: charges.filter(({ state }) => wasMade(state)).length,
    text: row.text,
  };
}
