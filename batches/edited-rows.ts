import { KNOWN_COLUMNS } from '../inputs/header.ts';
import type { ManifestOptions, ManifestRow } from '../inputs/manifest-reader.ts';
import { wordsOf } from '../inputs/previous-rows.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import { readUnchanged, summarizeManifest, type ManifestSummary } from '../inputs/read-manifest.ts';
import type { Kind } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { findNameClashes, type NameClash } from './name-clashes.ts';
import type { FoundRow, FoundRows } from './redrive-draft.ts';
import { editOf } from './row-edit.ts';
import { RowNumbers } from './row-numbers.ts';

/** Mismatches that are kept; the others are counted. */
const KEPT = 50;

/** A line of a file that is about no row of the batch, or cannot be. `line` is physical, header = 1. */
export type LineMismatch = { readonly line: number; readonly id: string } & (
  | { readonly type: 'no-such-row'; readonly by: 'id' | '_row' }
  /** An earlier line is about this row, too. */
  | { readonly type: 'twice'; readonly row: number; readonly before: number }
  | { readonly type: 'other-id'; readonly row: number; readonly expected: string }
  /** It is of a row that had a job which this one has not: the file is of another batch of the same name, in another ledger, or out of date. */
  | { readonly type: 'other-job'; readonly row: number; readonly came: string }
  | { readonly type: 'other-kind'; readonly row: number; readonly expected: Kind; readonly came: Kind }
);

/**
 * The rows of a batch that a file is about, or why they cannot be told. `faulty`: the file is wrong by itself. `missing-columns`: it lacks
 * columns of the batch, and would empty a cell of every row. `new-columns`: it has columns that have no place in the results. `no-ids`: it has
 * neither ids of the user's own nor row numbers. `mismatched`: the first of the lines, and of the names, that do not fit, and how many there are.
 */
export type EditedRows = { readonly checked: ManifestSummary } & (
  | { readonly type: 'found'; readonly rows: FoundRows }
  | { readonly type: 'faulty' }
  | { readonly type: 'no-ids' }
  | { readonly type: 'other-batch'; readonly other: string }
  | { readonly type: 'missing-columns' | 'new-columns'; readonly columns: readonly string[] }
  | { readonly type: 'mismatched'; readonly first: readonly (LineMismatch | NameClash)[]; readonly count: number }
);

/**
 * Finds the rows of a batch in a file: an edited copy of its manifest, or one of its outcome files. The file is read as the
 * batch's manifest was, and checked fully first. A row is found by `_row`, where the file is one of the batch's outcome files, else by its
 * `id`; whether it was edited is told from its cells. Everything that is wrong comes back at once.
 */
export async function findEditedRows(
  source: ManifestSource,
  { ledger, batch }: { readonly ledger: Ledger; readonly batch: BatchRecord },
): Promise<EditedRows> {
  const options = readingOf(batch);
  const checked = await summarizeManifest(source, options);
  if (checked.problemCount > 0) return { type: 'faulty', checked };
  const { previousBatch } = checked;
  if (previousBatch !== null && previousBatch !== batch.name)
    return { type: 'other-batch', other: previousBatch, checked };
  const wrong = compareColumns(checked, batch);
  if (wrong !== undefined) return { ...wrong, checked };
  if (previousBatch === null && !checked.columns.includes(headerOf('id', batch))) return { type: 'no-ids', checked };
  const matched = (complain: (mismatch: LineMismatch) => void): AsyncGenerator<FoundRow> =>
    matchRows(readUnchanged(source, options, checked), checked, { ledger, batch }, complain);
  const rows: FoundRows = { [Symbol.asyncIterator]: () => matched(() => undefined) };
  const first: (LineMismatch | NameClash)[] = [];
  let count = 0;
  const complain = (mismatch: LineMismatch | NameClash): void => {
    count++;
    if (first.length < KEPT) first.push(mismatch);
  };
  const lines = matched(complain);
  while ((await lines.next()).done !== true);
  for (const clash of await findNameClashes(rows, ledger, batch)) complain(clash);
  return count > 0 ? { type: 'mismatched', first, count, checked } : { type: 'found', rows, checked };
}

/** The rows of a batch that the lines of a file are about; a line that is about none, or cannot be, is complained of. */
async function* matchRows(
  lines: AsyncIterable<ManifestRow>,
  checked: ManifestSummary,
  { ledger, batch }: { readonly ledger: Ledger; readonly batch: BatchRecord },
  complainOf: (mismatch: LineMismatch) => void,
): AsyncGenerator<FoundRow> {
  const idAt = checked.columns.indexOf(headerOf('id', batch));
  const seen = new RowNumbers();
  for await (const line of lines) {
    const at = { line: line.line, id: line.id };
    const number = line.previousRow ?? (await ledger.findRowById(batch.name, line.id));
    const scanned = number === undefined ? undefined : await ledger.readRow(batch.name, number);
    if (scanned === undefined) {
      complainOf({ ...at, type: 'no-such-row', by: number === undefined ? 'id' : '_row' });
      continue;
    }
    const { row } = scanned;
    const before = seen.get(row.row);
    seen.set(row.row, line.line);
    const jobs = scanned.charges.flatMap(({ jobId }) => wordsOf(jobId ?? ''));
    const job = line.previousJobs?.find((one) => isTelling(one) && !jobs.includes(one));
    if (before !== undefined) complainOf({ ...at, type: 'twice', row: row.row, before });
    // An id names files, so an edit cannot change it.
    else if (!['', row.id].includes(line.input[idAt]?.trim() ?? '')) {
      complainOf({ ...at, type: 'other-id', row: row.row, expected: row.id });
    } else if (job !== undefined) {
      complainOf({ ...at, type: 'other-job', row: row.row, came: job });
    } else if (line.spec.kind !== row.kind) {
      complainOf({ ...at, type: 'other-kind', row: row.row, expected: row.kind, came: line.spec.kind });
    } else yield { scanned, edit: editOf(scanned, line, checked, batch) };
  }
}

/** True for a word of a job's id that no spreadsheet takes for a number or a date, and writes otherwise. */
function isTelling(word: string): boolean {
  return word.length >= 8 && /[a-df-z_]/i.test(word);
}

/** How the batch's own manifest was read. */
function readingOf({ settings }: Pick<BatchRecord, 'settings'>): ManifestOptions {
  const { reading, nameTemplate, prices } = settings;
  const { kind, defaults, map, tts } = reading;
  return { ...(kind === null ? {} : { kind }), defaults, map, tts, nameTemplate, prices, strict: false };
}

/** Columns that shape rows and are on one side only. */
function compareColumns(
  { columns }: Pick<ManifestSummary, 'columns'>,
  batch: BatchRecord,
): { readonly type: 'missing-columns' | 'new-columns'; readonly columns: readonly string[] } | undefined {
  const meaningful = new Set([...KNOWN_COLUMNS].map((ours) => headerOf(ours, batch)));
  const shapes = (column: string): boolean => column !== 'id' && (meaningful.has(column) || column.startsWith('api.'));
  const missing = batch.columns.filter((column) => shapes(column) && !columns.includes(column));
  if (missing.length > 0) return { type: 'missing-columns', columns: missing };
  const added = columns.filter((column) => shapes(column) && !batch.columns.includes(column));
  return added.length > 0 ? { type: 'new-columns', columns: added } : undefined;
}

/** A column of ours as the batch's manifest calls it. */
function headerOf(ours: string, { settings }: Pick<BatchRecord, 'settings'>): string {
  return settings.reading.map[ours] ?? ours;
}
