import type { CleanEnd } from '../../batches/clean/clean-batch.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { ExitError } from '../exit-error.ts';
import { freedWords } from '../terminal/file-words.ts';
import { goOnCommand } from '../terminal/command.ts';
import { number } from '../terminal/words.ts';
import { rowsInWords } from '../terminal/row-words.ts';

type Cleaned = Extract<CleanEnd, { readonly type: 'cleaned' }>;

/** What was cleaned. */
export interface CleanedBatch {
  readonly batch: BatchRecord;
  readonly parts: CleanParts;
  /** Nothing was removed yet. */
  readonly isDryRun: boolean;
}

/** What a clean removed, or would remove. */
export function cleanLines(
  { rows, inDoubt, media }: Cleaned,
  { batch, parts, isDryRun }: CleanedBatch,
): readonly string[] {
  const verb = isDryRun ? 'Would remove' : 'Removed';
  const lines: string[] = [];
  if (parts.media) {
    const files = media.files === 1 ? '1 file' : `${number(media.files)} files`;
    const freed = freedWords(media, isDryRun, 'out folders, other batches');
    lines.push(
      media.files === 0
        ? `Nothing is left of the files of batch "${batch.name}" in the store.`
        : `${verb} ${files} of batch "${batch.name}" from the store, ${freed}`,
    );
  }
  if (parts.rows) {
    const removed =
      rows === 0 && inDoubt === 0
        ? `Nothing is left of what the rows of batch "${batch.name}" asked for.`
        : `${verb} what ${rowsInWords(rows)} of batch "${batch.name}" asked for, and their texts.`;
    lines.push(`${removed} It cannot be run or written again.`);
  }
  if (inDoubt > 0)
    lines.push(`${rowsInWords(inDoubt)} stay as they are: something may still come to light about them.`);
  return [...lines, 'Its bill stays: outcomes, requests, charges. Its name stays taken.'];
}

/** The same for machines. Sizes in bytes. */
export function cleanJson({ rows, inDoubt, media }: Cleaned, { batch, parts, isDryRun }: CleanedBatch): object {
  return { batch: batch.name, dry_run: isDryRun, removed: parts, rows, in_doubt: inDoubt, media };
}

/** Why a batch cannot be cleaned. */
export function cleanRefusal(end: Exclude<CleanEnd, Cleaned>, batch: BatchRecord): ExitError {
  const word = shellWord(batch.name);
  if (end.type === 'not-closed') {
    return new ExitError(
      'usage',
      `Batch "${batch.name}" is not finished. Nothing was removed. Continue it: ${goOnCommand(batch)}. Or stop it: voxbatch stop ${word}`,
    );
  }
  const rows = rowsInWords(end.rows);
  return new ExitError(
    'usage',
    `${rows} of batch "${batch.name}" ended unknown or overdue, and what they asked for is needed to settle them. Nothing was removed. ` +
      `Settle them: voxbatch reconcile ${word}. Its media alone can be removed: voxbatch clean ${word} --media`,
    { next: `voxbatch reconcile ${word}` },
  );
}
