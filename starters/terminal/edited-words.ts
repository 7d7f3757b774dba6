import type { EditedRows, LineMismatch } from '../../batches/edited-rows.ts';
import type { NameClash } from '../../batches/name-clashes.ts';
import { oneLine } from './table.ts';

/** An answer that is no rows. A file that is wrong by itself is reported as any manifest is. */
type UnusableFile = Exclude<EditedRows, { is: 'found' | 'faulty' }>;

/** Why the rows of a file cannot be redriven. `label`: what the file is called; `batch`: the batch's name. */
export function unusableText(found: UnusableFile, label: string, batch: string): string {
  switch (found.is) {
    case 'other-batch':
      return `${label} has rows of batch "${found.other}", not of "${batch}".`;
    case 'missing-columns':
      return `${label} lacks ${quoted(found.columns)}: expected all columns of the batch.`;
    case 'new-columns':
      return `${label} has ${quoted(found.columns)}, which the batch has not: a redrive changes cells, not columns.`;
    case 'no-ids':
      return (
        `The rows of ${label} cannot be told: it has no column id, and ids that are made from content change with it. ` +
        'Edit one of the outcome files of the batch instead (failed.csv, results.csv …), whose column _row tells.'
      );
    case 'mismatched':
      return (
        `${label} has ${found.count === 1 ? 'a row' : `${String(found.count)} rows`} that cannot be redriven. ` +
        'Rows cannot be added to a batch: run new ones as a batch of their own.'
      );
  }
}

/** The lines of a file that do not fit the batch, a line of text each, then how many more. */
export function mismatchLines(
  { first, count }: Extract<UnusableFile, { is: 'mismatched' }>,
  batch: string,
): readonly string[] {
  const lines = first.map((one) => (one.why === 'same-name' ? clashText(one) : mismatchText(one, batch)));
  return count > first.length ? [...lines, `and ${String(count - first.length)} more`] : lines;
}

function mismatchText(mismatch: LineMismatch, batch: string): string {
  return `line ${String(mismatch.line)}, id ${oneLine(mismatch.id)}: ${whyText(mismatch, batch)}`;
}

function whyText(mismatch: LineMismatch, batch: string): string {
  switch (mismatch.why) {
    case 'no-such-row':
      return `expected a row of batch "${batch}"; it has none of this ${mismatch.by}`;
    case 'twice':
      return `expected each row once; line ${String(mismatch.before)} is row ${String(mismatch.row)} too`;
    case 'other-id':
      return `expected the id of row ${String(mismatch.row)}, "${oneLine(mismatch.expected)}": it names files and cannot be changed`;
    case 'other-kind':
      return `expected kind ${mismatch.expected}, as row ${String(mismatch.row)} has; came ${mismatch.came}`;
  }
}

function clashText({ row, id, other, name }: NameClash): string {
  return `row ${String(row)}, id ${oneLine(id)}: expected a result name of its own; row ${String(other)} has ${oneLine(name)} too`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
