import { CAST_COLUMN } from '../contract/cast.ts';
import { SubsetDraw, type IsChosen, type Traits } from '../policy/subset/subset.ts';
import { Bill, billEntry, type BillEntry, type BillSummary } from './money/bill.ts';
import { ManifestReader } from './manifest-reader.ts';
import type { ManifestOptions, ManifestRow } from './manifest-options.ts';
import { digestOf, type ManifestSource } from './manifest-source.ts';
import {
  ManifestError,
  describeProblem,
  type ManifestProblem,
  type ManifestWarning,
} from '../contract/manifest-problems.ts';
import type { MediaColumn } from '../contract/row-kinds.ts';
import { VoiceUses, type UsedVoices } from './voices/voice-uses.ts';
import { hash } from 'node:crypto';

/** Max problems kept; further ones are only counted. */
const KEPT_PROBLEMS = 1000;

/**
 * Result of reading a manifest to its end. Sums, such as those of {@link BillSummary}, cover valid rows of the chosen
 * subset (`--limit`, `--sample`; default: all rows).
 */
export interface ManifestSummary extends BillSummary {
  /** All rows, including bad ones and those not chosen. */
  readonly rows: number;
  /** Valid rows that are chosen. */
  readonly chosen: number;
  /** Tells whether a row is chosen. */
  readonly isChosen: IsChosen;
  /** Valid rows, chosen or not, whose price depends on media of unknown duration. */
  readonly unmeasured: number;
  /** The first 1,000. Nothing may start while there is one. */
  readonly problems: readonly ManifestProblem[];
  /** Number of all problems. */
  readonly problemCount: number;
  readonly warnings: readonly ManifestWarning[];
  /** How many valid rows have local media, and where the first is; null if none has. */
  readonly local: Pick<ManifestWarning, 'column' | 'line' | 'rows'> | null;
  /** Voices used by its rows, including bad rows where readable. */
  readonly voices: UsedVoices;
  /** Input columns in order, without `_…`, as the file names them. */
  readonly columns: readonly string[];
  /** Maps our columns to their headers in the file, only those that `mapIfThere` renamed. */
  readonly mapUsed: Readonly<Record<string, string>>;
  /** sha256 of the bytes of the file, hex; null if it could not be read to its end. */
  readonly digest: string | null;
  /**
   * The `_batch` of one of our outcome files: running such a file means a redrive of that batch. Null for any other
   * file.
   */
  readonly previousBatch: string | null;
}

/** A valid ("sound") manifest, and how to read and price its rows. */
export interface SoundManifest {
  readonly summary: ManifestSummary;
  readonly options: ManifestOptions;
}

/** A file with rows of an existing batch. */
export interface OutcomeFile {
  readonly type: 'outcome-file';
  /** The batch's name. */
  readonly batch: string;
}

/** What a file is: a manifest that may become a batch, one with problems, or an outcome file for a redrive. */
export type CheckedManifest =
  | ({ readonly type: 'sound' } & SoundManifest)
  | { readonly type: 'faulty'; readonly summary: ManifestSummary }
  | OutcomeFile;

/** Reads a manifest to its end, like {@link summarizeManifest}, and classifies it. */
export async function checkManifest(
  source: ManifestSource,
  options: ManifestOptions,
  budget: number | null,
): Promise<CheckedManifest> {
  const summary = await summarizeManifest(source, options, budget);
  const { previousBatch, problems, problemCount } = summary;
  // A file with rows of several batches belongs to none, which is reported as a separate problem.
  if (previousBatch !== null && problems.every(({ code }) => code !== 'mixed-batches')) {
    return { type: 'outcome-file', batch: previousBatch };
  }
  return problemCount === 0 ? { type: 'sound', summary, options } : { type: 'faulty', summary };
}

/**
 * Reads a manifest to its end, checks and prices every row, and reports all problems at once. `budget`: credits; the
 * bill then says how many rows it covers.
 */
export async function summarizeManifest(
  source: ManifestSource,
  options: ManifestOptions,
  budget: number | null = null,
): Promise<ManifestSummary> {
  const reader = await ManifestReader.open(source, options, { checksDuplicates: true });
  const bill = new Bill(budget);
  const voices = new VoiceUses();
  let chosen = 0;
  let unmeasured = 0;
  let local: ManifestSummary['local'] = null;
  const draw = new SubsetDraw<BillEntry>(options.subset ?? null, sampleRank, (entry) => {
    chosen++;
    bill.addEntry(entry);
  });
  const kept: ManifestProblem[] = [];
  const speakers = options.cast && new (await import('./cast/cast-voices.ts')).UnknownSpeakers();
  let problemCount = 0;
  source.rows.begin(options);
  for await (const { rows, problems, drafts } of reader.read()) {
    for (const row of rows) {
      source.rows.add(row);
      draw.offer(row, traitsOf(row), billEntry(row));
      if (row.quoted === null || row.isAssumed) unmeasured++;
      voices.add(row, reader.file);
      local = withLocalMedia(local, row, reader);
    }
    for (const draft of drafts) voices.add(draft, reader.file);
    const found = problems.filter((problem) => speakers?.repeats(problem) !== true);
    problemCount += found.length;
    kept.push(...found.slice(0, KEPT_PROBLEMS - kept.length));
  }
  source.rows.end(reader.digest);
  // Until then, a sample's bill may lack rows.
  const isChosen = draw.finish();
  const { columns } = reader;
  const [voice, engine] = [columns.headerOf('voice'), columns.headerOf('engine')];
  return {
    rows: reader.rows,
    chosen,
    isChosen,
    unmeasured,
    ...bill.summary(),
    problems: speakers === undefined ? kept : kept.map((problem) => speakers.counted(problem)),
    problemCount,
    warnings: [...reader.warnings.values()],
    local,
    voices: voices.list({ voice, engine, speaker: columns.headerOf(CAST_COLUMN) }, reader.isCut),
    columns: columns.input.map(({ name }) => name),
    mapUsed: columns.mapUsed,
    digest: reader.digest,
    previousBatch: reader.previousBatch ?? null,
  };
}

/** Counts a row if it has local media. */
function withLocalMedia(
  known: ManifestSummary['local'],
  { line, spec }: ManifestRow,
  { columns }: ManifestReader,
): ManifestSummary['local'] {
  const [column] = Object.keys(spec.local ?? {}) as MediaColumn[];
  if (column === undefined) return known;
  return { column: columns.headerOf(column), line, ...known, rows: (known?.rows ?? 0) + 1 };
}

/** Returns the traits that a sample is spread over. The kind comes first, because it decides what is paid for. */
function traitsOf({ spec }: Pick<ManifestRow, 'spec'>): Traits {
  return [spec.kind, spec.voice ?? null, spec.engine ?? null];
}

/**
 * Streams the rows of a manifest that was checked with the same options; from memory, if they are still kept.
 * @throws ManifestError at the first problem, and at the end if the file is not the one that was checked.
 */
export async function* readManifest(
  source: ManifestSource,
  options: ManifestOptions,
  checked: Pick<ManifestSummary, 'columns' | 'digest'>,
): AsyncGenerator<ManifestRow, void, undefined> {
  for await (const rows of readPortions(source, options, checked)) yield* rows;
}

/** Like {@link readManifest}, but in chunks: awaiting each row of a large manifest separately is slow. */
export async function* readPortions(
  source: ManifestSource,
  options: ManifestOptions,
  checked: Pick<ManifestSummary, 'columns' | 'digest'>,
): AsyncGenerator<readonly ManifestRow[], void, undefined> {
  const columns = checked.columns.length;
  const known = source.rows.find(options, checked.digest);
  if (known !== undefined) {
    yield known.map((row) => pad(row, columns));
    return;
  }
  const reader = await ManifestReader.open(source, options, { checksDuplicates: false });
  for await (const { rows, problems } of reader.read()) {
    if (problems.length > 0) throw refusal(problems);
    if (reader.digest !== null && reader.digest !== checked.digest) {
      throw changedSince();
    }
    yield rows.map((row) => pad(row, columns));
  }
}

/**
 * Like {@link readManifest}, for rows that take effect immediately: refuses a changed file before its first row.
 *
 * @throws ManifestError
 */
export async function* readUnchanged(
  source: ManifestSource,
  options: ManifestOptions,
  checked: Pick<ManifestSummary, 'columns' | 'digest'>,
): AsyncGenerator<ManifestRow, void, undefined> {
  const isHere = source.rows.find(options, checked.digest) !== undefined;
  if (!isHere && (await digestOf(source)) !== checked.digest) throw changedSince();
  yield* readManifest(source, options, checked);
}

/** Returns the error for a manifest that changed after it was checked. */
function changedSince(): ManifestError {
  const expected = 'the file that was checked';
  return refusal([{ line: 1, id: '', column: '', expected, got: 'a file that changed since', code: 'changed' }]);
}

/** Adds empty cells to a row of an early JSON line, for columns that first occur later. */
function pad(row: ManifestRow, columns: number): ManifestRow {
  if (row.input.length >= columns) return row;
  return { ...row, input: [...row.input, ...new Array<string>(columns - row.input.length).fill('')] };
}

/** Returns the error for a manifest with problems. */
function refusal(problems: readonly ManifestProblem[]): ManifestError {
  const [first] = problems;
  const what = first === undefined ? '' : describeProblem(first);
  return new ManifestError(`the manifest cannot be used: ${what}. Nothing was spent.`, problems);
}

/** Returns a row's rank in the order drawn by a seed: the sha256 of seed, line break and id, in hex. */
function sampleRank(seed: number, id: string): string {
  return hash('sha256', `${seed}\n${id}`, 'hex');
}
