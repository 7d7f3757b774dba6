import type { Failure } from '../../../contract/failures.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { ChargeRecord, ResultFile, RowRecord } from '../../../ledger/record-types.ts';
import { fill, ledgerForEachTest } from '../setup.ts';

/** A result, and a refusal, of the first row of the batch `b`. */
export const FILE: ResultFile = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };
export const REFUSED: Failure = { class: 'RateLimited', message: 'slow down', status: 429 };

/** 1, 2, … n. */
export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}

/** What the ledger says of a row of the batch `b`. */
interface RowReadings {
  readonly rowOf: (row: number) => Promise<RowRecord | undefined>;
  readonly chargeOf: (row: number, attempt?: number) => Promise<ChargeRecord | undefined>;
}

/** Before each test of a file: hands `take` a new ledger with an open batch `b` of so many rows. */
export function rowsForEachTest(rows: number, take: (ledger: Ledger) => void): RowReadings {
  let ledger: Ledger;
  ledgerForEachTest(async (made) => {
    ledger = made;
    await fill(ledger, rows);
    take(ledger);
  });
  return {
    rowOf: async (row) => (await ledger.readRow('b', row))?.row,
    chargeOf: async (row, attempt = 1) =>
      (await ledger.readRow('b', row))?.charges.find((charge) => charge.attempt === attempt),
  };
}
