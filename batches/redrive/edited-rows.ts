import { CAST_COLUMN } from '../../contract/cast.ts';
import { defined } from '../../contract/defined.ts';
import { decimalOf, DEFAULT_TABLE_FORMAT } from '../../contract/table-format.ts';
import { CastVoices } from '../../inputs/cast/cast-voices.ts';
import { headerFor, knownColumns } from '../../inputs/header-names.ts';
import type { ManifestOptions, ManifestRow } from '../../inputs/manifest-options.ts';
import { wordsOf } from '../../inputs/row-reader.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { readUnchanged, summarizeManifest, type ManifestSummary } from '../../inputs/read-manifest.ts';
import type { Kind } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import type { FoundRow, FoundRows } from './selection.ts';
import { RowNumbers } from '../rows/find-rows.ts';
import type { NameClash } from './name-clashes.ts';
import { findNameClashes } from './name-clashes.ts';
import { editOf } from './row-edit.ts';

/** Max mismatches kept; further ones are only counted. */
const MAX_MISMATCHES = 50;

/** A line that matches no row of the batch. `line` is physical, header = 1. */
export type LineMismatch = { readonly line: number; readonly id: string } & (
  | { readonly type: 'no-such-row'; readonly by: 'id' | '_row' }
  /** An earlier line names the same row. `before`: that line. */
  | { readonly type: 'twice'; readonly row: number; readonly before: number }
  | { readonly type: 'other-id'; readonly row: number; readonly expected: string }
  /**
   * The line names a job that the row does not have: the file belongs to another batch of the same name, in another
   * ledger, or is out of date.
   */
  | { readonly type: 'other-job'; readonly row: number; readonly got: string }
  /**
   * The line names a voice that the row did not have; names are resolved only when a batch is made. `made`: the id of
   * the voice of this name, if a row of the batch made it.
   */
  | { readonly type: 'new-name'; readonly got: string; readonly made?: string }
  | { readonly type: 'other-kind'; readonly row: number; readonly expected: Kind; readonly got: Kind }
);

/**
 * The batch's rows in a file, or why they cannot be matched.
 *
 * - `faulty`: the file itself has errors.
 * - `no-ids`: it has neither user-given ids nor row numbers.
 * - `other-batch`: it is an outcome file of another batch.
 * - `missing-columns`: it lacks columns of the batch, which would empty a cell of every row.
 * - `new-columns`: it has columns that have no place in the results.
 * - `mismatched`: lines or names do not match; the first of them, and how many there are.
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
 * Finds the rows of a batch in a file: an edited copy of its manifest, or one of its outcome files. Reads the file like
 * the batch's manifest, and checks all of it first. A line names its row by `_row` in an outcome file of the batch,
 * otherwise by `id`; the row counts as edited if its cells differ. Reports all mismatches at once.
 */
export async function findEditedRows(
  source: ManifestSource,
  {
    ledger,
    batch,
    localMedia,
    filesFrom,
  }: { readonly ledger: Ledger; readonly batch: BatchRecord } & Pick<ManifestOptions, 'localMedia' | 'filesFrom'>,
): Promise<EditedRows> {
  const options = { ...readingOf(batch), ...defined({ localMedia, filesFrom }) };
  const checked = await summarizeManifest(source, options);
  if (checked.problemCount > 0) return { type: 'faulty', checked };
  const { previousBatch } = checked;
  if (previousBatch !== null && previousBatch !== batch.name)
    return { type: 'other-batch', other: previousBatch, checked };
  const wrong = compareColumns(checked, batch);
  if (wrong !== undefined) return { ...wrong, checked };
  const idHeader = headerFor('id', checked.columns, batch.settings.reading);
  if (previousBatch === null && !checked.columns.includes(idHeader)) return { type: 'no-ids', checked };
  const matched = (report: (mismatch: LineMismatch) => void): AsyncGenerator<FoundRow> =>
    matchRows(readUnchanged(source, options, checked), checked, { ledger, batch }, report);
  const rows: FoundRows = { [Symbol.asyncIterator]: () => matched(() => undefined) };
  const first: (LineMismatch | NameClash)[] = [];
  let count = 0;
  const report = (mismatch: LineMismatch | NameClash): void => {
    count++;
    if (first.length < MAX_MISMATCHES) first.push(mismatch);
  };
  const lines = matched(report);
  // A first pass over all lines only collects mismatches.
  while ((await lines.next()).done !== true);
  for (const clash of await findNameClashes(rows, ledger, batch)) report(clash);
  return count > 0 ? { type: 'mismatched', first, count, checked } : { type: 'found', rows, checked };
}

/** Yields the rows that the lines of a file name; reports lines that name none. */
async function* matchRows(
  lines: AsyncIterable<ManifestRow>,
  checked: ManifestSummary,
  { ledger, batch }: { readonly ledger: Ledger; readonly batch: BatchRecord },
  report: (mismatch: LineMismatch) => void,
): AsyncGenerator<FoundRow> {
  const idAt = checked.columns.indexOf(headerFor('id', checked.columns, batch.settings.reading));
  const seen = new RowNumbers();
  let made: ReadonlyMap<string, string> | undefined;
  for await (const line of lines) {
    const at = { line: line.line, id: line.id };
    const number = line.previousRow ?? (await ledger.findRowById(batch.name, line.id));
    const scanned = number === undefined ? undefined : await ledger.readRow(batch.name, number);
    if (scanned === undefined) {
      report({ ...at, type: 'no-such-row', by: number === undefined ? 'id' : '_row' });
      continue;
    }
    const { row } = scanned;
    const before = seen.get(row.row);
    seen.set(row.row, line.line);
    const jobs = scanned.charges.flatMap(({ jobId }) => wordsOf(jobId ?? ''));
    const job = line.previousJobs?.find((one) => isDistinctive(one) && !jobs.includes(one));
    if (before !== undefined) report({ ...at, type: 'twice', row: row.row, before });
    // File names are made from the id, so an edit cannot change it.
    else if (!['', row.id].includes(line.input[idAt]?.trim() ?? '')) {
      report({ ...at, type: 'other-id', row: row.row, expected: row.id });
    } else if (job !== undefined) {
      report({ ...at, type: 'other-job', row: row.row, got: job });
    } else if (line.spec.kind !== row.kind) {
      report({ ...at, type: 'other-kind', row: row.row, expected: row.kind, got: line.spec.kind });
    } else {
      const known = withKnownVoice(line, row, batch);
      if (known === undefined) {
        const got = line.spec.voice ?? '';
        made ??= await voicesMade(ledger, batch.name);
        report({ ...at, type: 'new-name', got, ...defined({ made: made.get(requestedVoiceName(got) ?? '') }) });
      } else yield { scanned, edit: editOf(scanned, known, checked, batch) };
    }
  }
}

/** Returns the ids of the voices that rows of the batch made, by name; without names that several voices have. */
async function voicesMade(ledger: Ledger, batch: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const several = new Set<string>();
  for await (const { row } of ledger.scanRows(batch, { outcome: 'succeeded' })) {
    const { name } = row.spec;
    if (row.kind !== 'voice' || row.text === null || name === undefined) continue;
    if (found.has(name)) several.add(name);
    found.set(name, row.text);
  }
  for (const name of several) found.delete(name);
  return found;
}

/**
 * Returns a line with its voice's name replaced by the voice id on record, if the line names the same voice as the row
 * did; undefined if it names another one.
 */
function withKnownVoice(line: ManifestRow, row: RowRecord, batch: BatchRecord): ManifestRow | undefined {
  const { voice } = line.spec;
  if (voice === undefined || requestedVoiceName(voice) === undefined) return line;
  if (writtenVoice(row, batch)?.trim() !== voice || row.spec.voice === undefined) return undefined;
  return { ...line, spec: { ...line.spec, voice: row.spec.voice } };
}

/** Returns a row's voice as written in its manifest, in the cast or in a flag. */
function writtenVoice({ input }: RowRecord, { columns, settings: { reading } }: BatchRecord): string | undefined {
  const cellOf = (ours: string): string => input[columns.indexOf(headerFor(ours, columns, reading))]?.trim() ?? '';
  const [cell, name] = [cellOf('voice'), cellOf(CAST_COLUMN)];
  if (cell !== '') return cell;
  const ofCast = reading.cast === undefined || name === '' ? undefined : new CastVoices(reading.cast).valuesOf(name);
  return ofCast?.values['voice'] ?? reading.defaults['voice'];
}

/**
 * Returns whether a job id proves a mismatch: a spreadsheet may rewrite a short or numeric one (1e5) as a number or a
 * date.
 */
function isDistinctive(word: string): boolean {
  return word.length >= 8 && /[a-df-z_]/i.test(word);
}

/** Returns the options with which the batch's own manifest was read. */
function readingOf({ settings }: BatchRecord): ManifestOptions {
  const { reading, nameTemplate, prices, table = DEFAULT_TABLE_FORMAT } = settings;
  const { kind, ...read } = reading;
  const decimal = decimalOf(table);
  return { ...(kind === null ? {} : { kind }), ...read, decimal, nameTemplate, prices, strict: false };
}

/** Returns the columns that affect rows and that only the file or only the batch has; undefined if there are none. */
function compareColumns(
  { columns }: ManifestSummary,
  batch: BatchRecord,
): { readonly type: 'missing-columns' | 'new-columns'; readonly columns: readonly string[] } | undefined {
  const { reading } = batch.settings;
  const ours = [...knownColumns(), ...(reading.cast === undefined ? [] : [CAST_COLUMN])];
  const meaningful = new Set(
    ours.flatMap((one) => [columns, batch.columns].map((all) => headerFor(one, all, reading))),
  );
  const shapes = (column: string): boolean => column !== 'id' && (meaningful.has(column) || column.startsWith('api.'));
  const missing = batch.columns.filter((column) => shapes(column) && !columns.includes(column));
  if (missing.length > 0) return { type: 'missing-columns', columns: missing };
  const added = columns.filter((column) => shapes(column) && !batch.columns.includes(column));
  return added.length > 0 ? { type: 'new-columns', columns: added } : undefined;
}
