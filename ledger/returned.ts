import { attemptKeyOf } from '../contract/batch.ts';
import { filesBeside } from '../policy/earlier-take.ts';
import { OTHER_CONTENT } from '../policy/lost-file.ts';
import { note, releasedFiles } from './decision-records.ts';
import { afterFetchedAgain, asBefore, isAsBefore, outcomeWith } from './lost-files.ts';
import { toFallback, toFile } from './records.ts';
import type { ResultFile } from './record-types.ts';
import type { Retake, RowEffect, RowEnding } from './row-effects.ts';
import type { RowInHand } from './row-in-hand.ts';
import type { ChargeLine } from './schema.ts';
import { takesOf } from './takes.ts';

/** How a row ends that goes back to what this attempt brought, and the decision on record. `replaced`: what it had until then. */
export async function endReturned(
  row: RowInHand,
  charge: ChargeLine,
  file: ResultFile,
  { who, replaced }: { readonly who: string; readonly replaced: readonly ResultFile[] },
): Promise<RowEnding> {
  const { tx, line } = row;
  const before = (await takesOf(tx, line.batch, line.row)).map((one) => [one.before.file, ...one.before.extraFiles]);
  const released = (await releasedFiles(tx, line.batch, line.row)).map(({ files }) => files);
  const extraFiles = filesBeside(file, [...before, ...released]);
  const decided = { ...attemptKeyOf(charge), type: 'went-back', who } as const;
  await note(tx, decided, decided, replaced);
  await row.change({ returned_to: charge.take === line.take ? null : charge.take, fallback: null });
  return {
    outcome: outcomeWith(row, charge, file).outcome,
    file,
    ...(extraFiles.length === 0 ? {} : { extraFiles }),
  };
}

/**
 * What the end of a job means for its row that was read again for a lost file. A row that waits for the file of an earlier take
 * goes back to that only if it is the same. Otherwise it ends as it had ended; another file is kept with its attempt, where a
 * person may accept it.
 */
export async function afterFetch(
  row: RowInHand,
  charge: ChargeLine,
  lost: ResultFile,
  effect: Exclude<RowEffect, Retake>,
): Promise<RowEffect> {
  const kept = toFallback(row.line.fallback);
  if (kept?.returning?.take !== charge.take) return afterFetchedAgain(row, charge, lost, effect);
  const file = toFile(charge.file);
  const { ending, returning } = kept;
  if (file !== null && isAsBefore(row, charge, lost)) {
    const { file: had, extraFiles = [] } = ending;
    const replaced = had === undefined ? [] : [had, ...extraFiles];
    return endReturned(row, charge, file, { who: returning.who, replaced });
  }
  if (file === null || file.sha256 === lost.sha256) await asBefore(row, charge, lost);
  else await row.changeCharge(charge, { file: JSON.stringify({ ...file, oddity: OTHER_CONTENT }) });
  await row.change({ fallback: null });
  return ending;
}
