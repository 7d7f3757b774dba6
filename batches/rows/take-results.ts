import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import type { TakeRecord } from '../../ledger/takes/take-records.ts';
import { resultOfTake } from '../../policy/redrive/earlier-take.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';

/** The part of a row's record that shows the results of its takes, its paid runs: a redrive begins the next. */
interface TakenRow {
  readonly row: Pick<RowRecord, 'spec' | 'take' | 'returnedTo' | 'parts' | 'file'>;
  readonly charges: readonly ChargeRecord[];
}

/** The stored result of a take. */
export interface TakeResult {
  readonly take: number;
  readonly file: ResultFile;
  /** True if this is the row's current result. */
  readonly isInUse: boolean;
}

/** Returns the take that made the row's current result; the present take if the row has none. */
export function takeInUse({ row, charges }: TakenRow): number {
  const { file } = row;
  const present = presentTake(row);
  if (file === null || row.parts !== null) return present;
  const made = (take: number): boolean => resultOfTake(row.spec, charges, take)?.file?.key === file.key;
  // A take without a result leaves the row that of an earlier take.
  return made(present) ? present : (takesOf(charges).findLast(made) ?? present);
}

/**
 * Returns the stored results of a row's takes, oldest first. For a row in parts these are its joined files: each take
 * of the row joined its parts anew, and the parts' own takes are not listed.
 */
export function takeResults(history: TakenRow & { readonly takes: readonly TakeRecord[] }): readonly TakeResult[] {
  const { row, charges, takes } = history;
  const inUse = takeInUse(history);
  const fileOf = (take: number): ResultFile | null | undefined => {
    if (take === inUse && row.file !== null) return row.file;
    if (row.parts === null) return resultOfTake(row.spec, charges, take)?.file;
    return takes.find((later) => later.take === take + 1)?.before.file;
  };
  return Array.from({ length: row.take }, (_, at) => at + 1).flatMap((take) => {
    const file = fileOf(take);
    return file == null ? [] : [{ take, file, isInUse: take === inUse && row.file !== null }];
  });
}

/** Returns the numbers of the takes that sent requests, ascending. */
function takesOf(charges: readonly ChargeRecord[]): readonly number[] {
  return [...new Set(charges.map(({ take }) => take))].sort((a, b) => a - b);
}
