import { isDeepStrictEqual } from 'node:util';
import { ROW_KINDS, type RowSpec, type SpecColumn, type Step } from '../contract/row-kinds.ts';
import { KNOWN_COLUMNS } from '../inputs/columns.ts';
import type { ManifestOptions, ManifestRow } from '../inputs/manifest-reader.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import { checkManifest, readManifest, type ManifestSummary } from '../inputs/read-manifest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import type { ScannedRow } from '../results/result-line.ts';
import { quoteRow } from '../policy/pricing.ts';
import { ExitError } from './exit-error.ts';
import { findNameClashes } from './name-clashes.ts';
import type { FoundRow, FoundRows, RowEdit } from '../batches/redrive-draft.ts';
import { RowNumbers } from '../batches/row-numbers.ts';
import { refuseProblems, sayWarnings } from './report-problems.ts';
import type { Output } from './terminal/output.ts';
import { oneLine } from './terminal/table.ts';

/** What each step reads of a row, its `api.*` fields aside: those go into every request. */
const READ_BY: Readonly<Record<Step, readonly SpecColumn[]>> = {
  speech: ['text', 'voice', 'engine', 'format', 'speed', 'language'],
  transcription: ['audio', 'language'],
  'lip-sync': ['video', 'audio'],
};

/** Problems that are shown. */
const SHOWN = 50;

/**
 * Finds the rows of a batch in a file: an edited copy of its manifest, or one of its outcome files. The file is read as the
 * batch's manifest was, and checked fully first. A row is found by `_row`, where the file is one of the batch's outcome files, else by its
 * `id`; whether it was edited is told from its cells. Everything that is wrong is said at once; throws {@link ExitError} `usage`.
 */
export async function findEditedRows(
  source: ManifestSource,
  { ledger, batch, output, json }: { ledger: Ledger; batch: BatchRecord; output: Output; json: boolean },
): Promise<FoundRows> {
  const options = readingOf(batch);
  const checked = await checkManifest(source, options);
  if (checked.problemCount > 0) throw refuseProblems(checked, source.label, output, { json });
  sayWarnings(checked, output);
  if (checked.previousBatch !== null && checked.previousBatch !== batch.name) {
    throw refusal(`${source.label} has rows of batch "${checked.previousBatch}", not of "${batch.name}".`);
  }
  refuseColumns(source.label, checked, batch);
  const matched = (complain: (words: string) => void): AsyncGenerator<FoundRow> =>
    matchRows(readManifest(source, options, checked), checked, { ledger, batch }, complain);
  const rows: FoundRows = { [Symbol.asyncIterator]: () => matched(() => undefined) };
  const problems: string[] = [];
  let count = 0;
  const complain = (words: string): void => {
    count++;
    if (problems.length < SHOWN) problems.push(words);
  };
  const lines = matched(complain);
  while ((await lines.next()).done !== true);
  for (const words of await findNameClashes(rows, ledger, batch)) complain(words);
  if (count > 0) {
    for (const problem of problems) output.say(problem);
    if (count > SHOWN) output.say(`and ${String(count - SHOWN)} more`);
    throw refusal(
      `${source.label} has ${count === 1 ? 'a row' : `${String(count)} rows`} that cannot be redriven. ` +
        'Rows cannot be added to a batch: run new ones as a batch of their own.',
    );
  }
  return rows;
}

/** The rows of a batch that the lines of a file are about; a line that is about none, or cannot be, is complained of. */
async function* matchRows(
  lines: AsyncIterable<ManifestRow>,
  checked: ManifestSummary,
  { ledger, batch }: { readonly ledger: Ledger; readonly batch: BatchRecord },
  complainOf: (words: string) => void,
): AsyncGenerator<FoundRow> {
  const idAt = checked.columns.indexOf(headerOf('id', batch));
  const seen = new RowNumbers();
  for await (const line of lines) {
    const complain = (words: string): void => {
      complainOf(`line ${String(line.line)}, id ${oneLine(line.id)}: ${words}`);
    };
    const number = line.previousRow ?? (await ledger.findRowById(batch.name, line.id));
    const scanned = number === undefined ? undefined : await ledger.readRow(batch.name, number);
    if (scanned === undefined) {
      complain(`expected a row of batch "${batch.name}"; it has none of this ${number === undefined ? 'id' : '_row'}`);
      continue;
    }
    const { row } = scanned;
    const before = seen.get(row.row);
    seen.set(row.row, line.line);
    if (before !== undefined) complain(`expected each row once; line ${String(before)} is row ${String(row.row)} too`);
    else if (!['', row.id].includes(line.input[idAt]?.trim() ?? '')) {
      complain(`expected the id of row ${String(row.row)}, "${oneLine(row.id)}": it names files and cannot be changed`);
    } else if (line.spec.kind !== row.kind) {
      complain(`expected kind ${row.kind}, as row ${String(row.row)} has; came ${line.spec.kind}`);
    } else yield { scanned, edit: editOf(scanned, line, checked, batch) };
  }
}

/** How the batch's own manifest was read. */
function readingOf({ settings }: Pick<BatchRecord, 'settings'>): ManifestOptions {
  const { reading, nameTemplate, prices } = settings;
  const { kind, defaults, map, tts } = reading;
  return { ...(kind === null ? {} : { kind }), defaults, map, tts, nameTemplate, prices, strict: false };
}

/** A column that the batch has and the file lacks would empty a cell of every row; a new one would have no place in the results. */
function refuseColumns(label: string, { columns, previousBatch }: ManifestSummary, batch: BatchRecord): void {
  const meaningful = new Set([...KNOWN_COLUMNS].map((ours) => headerOf(ours, batch)));
  const shapes = (column: string): boolean => column !== 'id' && (meaningful.has(column) || column.startsWith('api.'));
  const missing = batch.columns.filter((column) => shapes(column) && !columns.includes(column));
  const added = columns.filter((column) => shapes(column) && !batch.columns.includes(column));
  const named = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
  if (missing.length > 0) throw refusal(`${label} lacks ${named(missing)}: expected all columns of the batch.`);
  if (added.length > 0) {
    throw refusal(`${label} has ${named(added)}, which the batch has not: a redrive changes cells, not columns.`);
  }
  if (previousBatch === null && !columns.includes(headerOf('id', batch))) {
    throw refusal(
      `The rows of ${label} cannot be told: it has no column id, and ids that are made from content change with it. ` +
        'Edit one of the outcome files of the batch instead (failed.csv, results.csv …), whose column _row tells.',
    );
  }
}

function editOf(
  { row }: ScannedRow,
  line: ManifestRow,
  { columns }: Pick<ManifestSummary, 'columns'>,
  batch: BatchRecord,
): RowEdit | null {
  const input = batch.columns.map((column, at) => {
    const there = columns.indexOf(column);
    return (there < 0 ? row.input[at] : line.input[there]) ?? '';
  });
  if (
    isDeepStrictEqual(
      input,
      batch.columns.map((_, at) => row.input[at] ?? ''),
    )
  )
    return null;
  const spec = keepLength(row.spec, line.spec);
  const { tts, prices } = batch.settings;
  return { spec, input, quoted: quoteRow(spec.kind, spec, tts, prices), from: firstTouched(row.spec, spec) };
}

/** A length that was read from media, or assumed for them, still holds for the same media. */
function keepLength(before: RowSpec, after: RowSpec): RowSpec {
  const isSame = before.audio === after.audio && before.video === after.video;
  const isKnown = after.duration === undefined && before.duration !== undefined;
  return isSame && isKnown ? { ...after, duration: before.duration } : after;
}

/** The first step whose request the change makes another one. */
function firstTouched(before: RowSpec, after: RowSpec): Step | null {
  const { steps } = ROW_KINDS[after.kind];
  const [first = null] = steps;
  if (!isDeepStrictEqual(before.extra, after.extra)) return first;
  return steps.find((step) => READ_BY[step].some((column) => before[column] !== after[column])) ?? null;
}

/** A column of ours as the batch's manifest calls it. */
function headerOf(ours: string, { settings }: Pick<BatchRecord, 'settings'>): string {
  return settings.reading.map[ours] ?? ours;
}

function refusal(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed, nothing was spent.`);
}
