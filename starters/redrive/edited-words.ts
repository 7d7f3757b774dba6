import type { EditedRows, LineMismatch } from '../../batches/redrive/edited-rows.ts';
import type { NameClash } from '../../batches/redrive/name-clashes.ts';
import { namedRow } from '../terminal/row-words.ts';
import { oneLine } from '../terminal/table.ts';

/** A file without usable rows. A file with errors of its own is reported like any manifest. */
type UnusableFile = Exclude<EditedRows, { type: 'found' | 'faulty' }>;

/** Why the rows of a file cannot be redriven. `label`: name of the file; `batch`: name of the batch. */
export function unusableText(found: UnusableFile, label: string, batch: string): string {
  switch (found.type) {
    case 'other-batch':
      return `${label} has rows of batch "${found.other}", not of "${batch}".`;
    case 'missing-columns':
      return `${label} lacks ${quoted(found.columns)}: expected all columns of the batch.`;
    case 'new-columns':
      return `${label} has ${quoted(found.columns)}, unknown to the batch. A redrive can change cells, not columns.`;
    case 'no-ids':
      return (
        `The rows of ${label} cannot be identified: it has no id column, and generated ids change with the content. ` +
        'Edit an outcome file of the batch instead (failed.csv, results.csv …); it has a _row column.'
      );
    case 'mismatched':
      return (
        `${label} has ${found.count === 1 ? 'a row' : `${String(found.count)} rows`} that cannot be redriven. ` +
        (isNew(found)
          ? 'A batch cannot get new rows. Run them as a new batch.'
          : `Mend ${found.count === 1 ? 'it' : 'them'} in the file, then run the same command again.`)
      );
  }
}

/** Whether all that is wrong with a file is that it has rows which the batch has not. */
function isNew({ first }: Extract<UnusableFile, { type: 'mismatched' }>): boolean {
  return first.every(({ type }) => type === 'no-such-row');
}

/** The lines of a file that do not fit the batch, a line of text each, then how many more. */
export function mismatchLines(
  { first, count }: Extract<UnusableFile, { type: 'mismatched' }>,
  batch: string,
): readonly string[] {
  const lines = first.map((one) => (one.type === 'same-name' ? clashText(one) : mismatchText(one, batch)));
  return count > first.length ? [...lines, `and ${String(count - first.length)} more`] : lines;
}

function mismatchText(mismatch: LineMismatch, batch: string): string {
  return `line ${String(mismatch.line)}, id ${oneLine(mismatch.id)}: ${whyText(mismatch, batch)}`;
}

function whyText(mismatch: LineMismatch, batch: string): string {
  switch (mismatch.type) {
    case 'no-such-row':
      return `expected a row of batch "${batch}"; it has none with this ${mismatch.by}`;
    case 'twice':
      return `expected each row once; line ${String(mismatch.before)} is row ${String(mismatch.row)} too`;
    case 'other-id':
      return `expected the id of row ${String(mismatch.row)}, "${oneLine(mismatch.expected)}": it names files and cannot be changed`;
    case 'other-job':
      return (
        `row ${String(mismatch.row)} of batch "${batch}" has no job ${oneLine(mismatch.came)}: the file is of another batch of this name, ` +
        'or older than the last "reconcile --release"'
      );
    case 'new-name':
      return (
        `expected the id of a voice, or the name that the row had; got "${oneLine(mismatch.came)}": names are looked up only when a batch is made ` +
        (mismatch.made === undefined
          ? '(voxbatch voices list)'
          : `(write ${oneLine(mismatch.made)}, the id of the voice of this name that the batch made)`)
      );
    case 'other-kind':
      return `expected kind ${mismatch.expected}, as row ${String(mismatch.row)} has; got ${mismatch.came}`;
  }
}

function clashText({ row, id, other, name }: NameClash): string {
  return `${namedRow({ row, id })}: expected a unique result name; row ${String(other)} has ${oneLine(name)} too`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
