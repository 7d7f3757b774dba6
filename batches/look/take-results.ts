import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import type { TakeRecord } from '../../ledger/takes/take-records.ts';
import { resultOfTake } from '../../policy/redrive/earlier-take.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';

/** The part of a row's history that matters here. */
interface TakenRow {
  readonly row: Pick<RowRecord, 'spec' | 'take' | 'returnedTo' | 'parts' | 'file'>;
  readonly charges: readonly ChargeRecord[];
}

/** The stored result of a take. */
export interface TakeResult {
  readonly take: number;
  readonly file: ResultFile;
  /** The row has this result now. */
  readonly isInUse: boolean;
}

/** The take whose result the row has; while it has none, the one it is at. */
export function takeInUse(story: TakenRow): number {
  const { row, charges } = story;
  const { file } = row;
  const present = presentTake(row);
  if (file === null || row.parts !== null) return present;
  const made = (take: number): boolean => resultOfTake(row.spec, charges, take)?.file?.key === file.key;
  // A take that brought nothing leaves the row the result of an earlier one.
  return made(present) ? present : (takesOf(charges).findLast(made) ?? present);
}

/**
 * The results of a row's takes, oldest first. The parts of a row have takes of their own; their row was joined in each
 * of its own.
 */
export function takeResults(story: TakenRow & { readonly takes: readonly TakeRecord[] }): readonly TakeResult[] {
  const { row, charges, takes } = story;
  const inUse = takeInUse(story);
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

function takesOf(charges: readonly ChargeRecord[]): readonly number[] {
  return [...new Set(charges.map(({ take }) => take))].sort((a, b) => a - b);
}
