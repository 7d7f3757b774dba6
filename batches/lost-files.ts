import { hasResult } from '../contract/outcomes.ts';
import type { RowRecord, RowStanding } from '../ledger/record-types.ts';
import { attemptOfFile, lostFile, type FileLoss } from '../policy/lost-file.ts';
import { isFetchedFree } from '../policy/redrive.ts';
import { storedContent } from './damaged-results.ts';
import type { FoundRow, FoundRows, RedriveRules } from './redrive-draft.ts';

/**
 * The rows of a redrive that replaces results, with those whose stored file is not what is on record as what they are:
 * rows without a result. So what was paid for is fetched again, free, before anything is paid for. With `damaged`, only
 * those. Each file is read once, however often the rows are. `store`: the store's folder.
 */
export function withLostFiles(
  rows: FoundRows,
  store: string,
  { replace, damaged = false, step, accept }: RedriveRules,
): FoundRows {
  if (!(replace || damaged) || step !== null || accept) return rows;
  const losses = new Map<number, FileLoss | undefined>();
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) {
        const { row } = found.scanned;
        const isToRead = hasResult(row.outcome) && found.edit === null && row.file !== null;
        if (isToRead && !losses.has(row.row)) losses.set(row.row, await lossOf(row, store));
        const is = isToRead ? losses.get(row.row) : undefined;
        if (is !== undefined) yield without(found, is);
        else if (!damaged) yield found;
      }
    },
  };
}

/** Whether a redrive brings the lost file of a row back, free. */
export function isBroughtBackFree(standing: RowStanding, is: FileLoss): boolean {
  const { row, charges } = without({ scanned: standing, edit: null }, is).scanned;
  return isFetchedFree(row, charges);
}

/** The first of its files that is lost tells. Files that were removed on purpose are not lost. */
async function lossOf({ file, extraFiles }: RowRecord, store: string): Promise<FileLoss | undefined> {
  if (file === null || file.removedAt !== undefined) return undefined;
  for (const one of [file, ...extraFiles]) {
    const content = await storedContent(store, one);
    if (content !== one.sha256) return content === undefined ? 'missing' : 'altered';
  }
  return undefined;
}

/** The row as it is without its result. */
function without(found: FoundRow, is: FileLoss): FoundRow {
  const { row, charges }: RowStanding = found.scanned;
  const brought = row.parts === null ? attemptOfFile(charges, row.file?.key) : undefined;
  const failure = lostFile(is, brought);
  const scanned = {
    row: { ...row, outcome: 'failed', failure, file: null } as const,
    charges: charges.map((charge) => (charge === brought ? { ...charge, failure } : charge)),
  };
  return { ...found, scanned, lost: { failure, outcome: row.outcome } };
}
