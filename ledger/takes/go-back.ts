import { defined } from '../../contract/defined.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { refusedReturn, resultOfTake, unfetchedOfTake } from '../../policy/redrive/earlier-take.ts';
import { jobOfFile } from '../../policy/redrive/lost-file.ts';
import { withJob, withoutJob } from '../cache/kept-results.ts';
import { endingColumns } from '../rows/update-row.ts';
import { LedgerMisuse } from '../errors.ts';
import { leaveLost } from './lost-files.ts';
import { toRow } from '../rows/row-records.ts';
import { endReturned } from './returned.ts';
import { type Fallback, type RowEnding, toFallback } from '../rows/row-effects.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine } from '../schema.ts';
import { takesOf } from './takes.ts';

/** A person's request to go back to an earlier take (`redrive --accept`). */
export interface Return {
  /** The take to go back to. */
  readonly take: number;
  /** The transcript's text, as in its file. Omitted if the result is not text. */
  readonly text?: string;
  /**
   * Whether its stored file is lost. Its job is then read again first, and the row keeps its present result unless that
   * brings the same file. Default false.
   */
  readonly isLost?: boolean;
}

/**
 * Ends a row with the result of an earlier take. Its previous result stays on record with the decision, and in the
 * store, so that a person can switch back. Charges stay as they are: each take was paid for. If the file is lost, or
 * was never fetched, the row reopens, and its job is read for it first. `who`: user and host of the command. Returns
 * whether the row was reopened; false if it was settled at once. Throws {@link LedgerMisuse} if the take has no such
 * result.
 */
export async function goBack(
  row: RowInTransaction,
  { take, text, isLost = false }: Return,
  who: string,
): Promise<boolean> {
  const { tx, line } = row;
  const takes = await takesOf(tx, line.batch, line.row);
  // The take with which the row's request changed.
  const editedBy = takes.find((one) => one.take > take && one.before.spec !== undefined)?.take;
  const earlier = { take, ...defined({ editedBy }) };
  const record = toRow(line);
  const refusal = refusedReturn(record, row.attempts, earlier);
  const made = resultOfTake(row.spec, row.attempts, take) ?? unfetchedOfTake(record, row.attempts, take);
  if (refusal !== undefined || made === undefined || (isLost && jobOfFile(made) === undefined)) {
    throw new LedgerMisuse(
      `Row ${line.row} of "${line.batch}" cannot go back to take ${take} (${refusal?.why ?? 'lost-file'}). No row was changed.`,
    );
  }
  if (made.file !== null && hasResult(record.outcome) && record.file?.key === made.file.key) return false;
  await leaveLost(row);
  const charge = row.chargeAt(made);
  if (charge === undefined) throw new Error(`Expected the attempt of take ${take} that was found a moment ago.`);
  if (made.file === null || isLost) {
    await fetchFirst(row, charge, who);
    return true;
  }
  const finished_at = charge.finished_at ?? tx.now();
  const settled = await row.changeCharge(charge, { failure: null, finished_at, ...withoutJob(charge) });
  const { file, extraFiles } = record;
  const replaced = file === null ? [] : [file, ...extraFiles];
  // Reopens a part first, so that its ending updates its split row.
  if (line.part_of !== null) await row.change({ outcome: null, state: 'waiting', ended_at: null });
  const ending = { ...(await endReturned(row, settled, made.file, { who, replaced })), ...defined({ text }) };
  await row.change({ ...endingColumns(ending, tx.now()), hold: line.hold + 1 });
  return false;
}

/** Reopens the row to wait for the file of a take. If it does not come, the row returns to its present ending. */
async function fetchFirst(row: RowInTransaction, charge: ChargeLine, who: string): Promise<void> {
  const { line } = row;
  const had = toFallback(line.fallback);
  const returning = { take: charge.take, who, from: line.returned_to, ...defined({ fallback: had }) };
  const fallback: Fallback = { ending: endingNow(row), error: 0, returning };
  await row.changeCharge(charge, { finished_at: null, failure: null, ...withJob(charge) });
  const now = row.tx.now();
  const open = {
    state: 'processing',
    outcome: null,
    failure: null,
    file: null,
    extra_files: null,
    text: null,
  } as const;
  const times = { wait_since: now, updated_at: now, ended_at: null };
  const free = { lane: null, hold: line.hold + 1, auto_takes: 0 };
  const returned_to = charge.take === line.take ? null : charge.take;
  await row.change({ ...open, ...times, ...free, returned_to, fallback: JSON.stringify(fallback) });
}

/** Returns how a row has ended. */
function endingNow({ line }: RowInTransaction): RowEnding {
  const { outcome, failure, file, extraFiles, text } = toRow(line);
  if (outcome === null) throw new Error(`Expected row ${line.row} to have ended.`);
  const had = defined({ failure: failure ?? undefined, file: file ?? undefined, text: text ?? undefined });
  return { outcome, ...had, extraFiles };
}
