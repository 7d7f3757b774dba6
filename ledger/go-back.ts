import { attemptKeyOf } from '../contract/batch.ts';
import { hasResult } from '../contract/outcomes.ts';
import { refusedReturn, resultOfTake } from '../policy/earlier-take.ts';
import { withoutJob } from './copied-files.ts';
import { note, replacedFiles } from './decisions.ts';
import { endingColumns } from './ending-columns.ts';
import { LedgerMisuse } from './errors.ts';
import { leaveLost, outcomeWith } from './lost-files.ts';
import { toFile, toRow } from './records.ts';
import type { ResultFile } from './record-types.ts';
import type { RowInHand } from './row-in-hand.ts';
import type { Return } from './row-methods.ts';
import { takesOf } from './takes.ts';

/**
 * Ends a row with the result of an earlier take. What it had until then stays on record with the decision, and in the store,
 * so that a person may go forth again. Charges stay as they are: each take was paid for. The row is settled at once; the row
 * of a part is joined again.
 */
export async function goBack(row: RowInHand, { take, who, text }: Return): Promise<void> {
  const { tx, line } = row;
  const takes = await takesOf(tx, line.batch, line.row);
  const editedBy = takes.find((one) => one.take > take && one.before.spec !== undefined)?.take;
  const refusal = refusedReturn({ spec: row.spec, parts: line.parts }, row.attempts, {
    take,
    ...(editedBy === undefined ? {} : { editedBy }),
  });
  const made = resultOfTake(row.spec, row.attempts, take);
  const charge = made === undefined ? undefined : row.chargeAt(made);
  const file = charge === undefined ? null : toFile(charge.file);
  if (refusal !== undefined || charge === undefined || file === null) {
    throw new LedgerMisuse(
      `Row ${line.row} of "${line.batch}" cannot go back to take ${take} (${refusal?.why ?? 'no-file'}). No row was changed.`,
    );
  }
  const { file: last, extraFiles: besides, outcome } = toRow(line);
  if (hasResult(outcome) && last?.key === file.key) return;
  const before = takes.map((one) => [one.before.file, ...one.before.extraFiles]);
  const extraFiles = filesBeside(file, [...before, ...(await replacedFiles(tx, line.batch, line.row))]);
  const decided = { ...attemptKeyOf(charge), type: 'went-back', who } as const;
  await note(tx, decided, decided, last === null ? [] : [last, ...besides]);
  await leaveLost(row);
  const finished_at = charge.finished_at ?? Date.now();
  const settled = await row.changeCharge(charge, { failure: null, finished_at, ...withoutJob(charge) });
  // The row of a part is settled by the database once the part ends; this one has ended before.
  if (line.part_of !== null) await row.change({ outcome: null, state: 'waiting', ended_at: null });
  const ending = {
    outcome: outcomeWith(row, settled, file).outcome,
    file,
    ...(extraFiles.length === 0 ? {} : { extraFiles }),
    ...(text === undefined ? {} : { text }),
  };
  const returned_to = take === line.take ? null : take;
  await row.change({ ...endingColumns(ending), returned_to, fallback: null, hold: line.hold + 1 });
}

/** The files that were beside this one when it was a row's result. */
function filesBeside({ key }: ResultFile, groups: readonly (readonly (ResultFile | null)[])[]): readonly ResultFile[] {
  const group = groups.find(([first]) => first?.key === key) ?? [];
  return group.slice(1).filter((file) => file !== null);
}
