import type { Ledger } from '../ledger/ledger.ts';
import { leftUnfetched } from '../policy/earlier-take.ts';
import type { FoundRows } from './found-rows.ts';

/**
 * The rows of a redrive. One that left a take before its paid result was fetched comes with the take by which it was last edited, because what
 * it asked for before is of no use to it. Few rows have left one, so no other row's takes are read.
 */
export function withLastEdit(ledger: Pick<Ledger, 'takesOf'>, batch: string, rows: FoundRows): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) {
        const { row, charges } = found.scanned;
        if (row.take === 1 || leftUnfetched(row, charges, 1) === undefined) {
          yield found;
          continue;
        }
        const takes = await ledger.takesOf(batch, row.row);
        const edit = takes.findLast(({ before }) => before.spec !== undefined);
        yield edit === undefined ? found : { ...found, askedSince: edit.take };
      }
    },
  };
}
