import type { Ledger } from '../../ledger/ledger.ts';
import type { RowRecord, RowStanding } from '../../ledger/record-types.ts';

/** Whether a row may have been charged without a result, whether it ended `unknown` or `failed`. */
export function isUnknown({ outcome, failure }: Pick<RowRecord, 'outcome' | 'failure'>): boolean {
  return outcome === 'unknown' || (outcome === 'failed' && failure?.class === 'OutcomeUnknown');
}

/** All such rows of a batch. Of a row that is spoken in parts: those parts, even if the row itself is open or ended otherwise. */
export async function* selectUnknown(
  ledger: Pick<Ledger, 'scanRows'>,
  batch: string,
): AsyncGenerator<RowStanding, void, undefined> {
  for (const outcome of ['unknown', 'failed'] as const) {
    for await (const found of ledger.scanRows(batch, { outcome, inParts: true })) if (isUnknown(found.row)) yield found;
  }
}

/** Their numbers, in order. */
export async function unknownRows(ledger: Pick<Ledger, 'scanRows'>, batch: string): Promise<readonly number[]> {
  const rows: number[] = [];
  for await (const { row } of selectUnknown(ledger, batch)) rows.push(row.row);
  return rows.sort((a, b) => a - b);
}
