import { KINDS } from '../contract/row-kinds.ts';
import type { Kind } from '../contract/row-kinds.ts';
import { ManifestReader } from './manifest-reader.ts';
import type { ManifestOptions, ManifestRow } from './manifest-reader.ts';
import type { ManifestSource } from './manifest-source.ts';
import { ManifestError, describeProblem } from './problems.ts';
import type { ManifestProblem, ManifestWarning } from './problems.ts';
import type { RawItem } from './raw-record.ts';
import { readCsv } from './read-csv.ts';
import { readJsonl } from './read-jsonl.ts';

/** Problems beyond this many are counted and not kept. */
const KEPT_PROBLEMS = 1000;

/** Rows of one kind. */
export interface KindSummary {
  readonly rows: number;
  /** Sum of the quotes that are known, in credits. */
  readonly quoted: number;
  /** Rows whose price cannot be known. */
  readonly unpriced: number;
}

/** What a whole pass over a manifest found. */
export interface ManifestSummary {
  /** Rows, bad ones included. */
  readonly rows: number;
  /** Sound rows by kind. */
  readonly kinds: Readonly<Record<Kind, KindSummary>>;
  /** Sum over all kinds, in credits. */
  readonly quoted: number;
  readonly unpriced: number;
  /** The first 1,000. Nothing may start while there is one. */
  readonly problems: readonly ManifestProblem[];
  /** All of them. */
  readonly problemCount: number;
  readonly warnings: readonly ManifestWarning[];
  /** Input columns in order, without `_…`, as the file names them. */
  readonly columns: readonly string[];
  /** sha256 of the bytes of the file, hex; null if it could not be read to its end. */
  readonly digest: string | null;
  /** The `_batch` of one of our outcome files: running it means a redrive of that batch. Null for any other file. */
  readonly previousBatch: string | null;
}

/** Reads a manifest to its end, checks and prices every row, and reports everything that is wrong at once. */
export async function checkManifest(source: ManifestSource, options: ManifestOptions): Promise<ManifestSummary> {
  const reader = new ManifestReader(source, options, true);
  const kinds: Record<Kind, KindSummary> = emptyKinds();
  const problems: ManifestProblem[] = [];
  let problemCount = 0;
  let digest: string | null = null;
  const keep = (found: readonly ManifestProblem[]): void => {
    problemCount += found.length;
    problems.push(...found.slice(0, Math.max(0, KEPT_PROBLEMS - problems.length)));
  };
  reading: for await (const batch of readItems(source)) {
    for (const item of batch) {
      const { row, problems: found, stop } = reader.accept(item);
      keep(found);
      if (stop) break reading;
      if (row !== undefined) kinds[row.spec.kind] = addRow(kinds[row.spec.kind], row.quoted);
      if (item.type === 'end') ({ digest } = item);
    }
  }
  keep(reader.finish());
  const all = Object.values(kinds);
  return {
    rows: reader.rows,
    kinds,
    quoted: tidy(all.reduce((sum, kind) => sum + kind.quoted, 0)),
    unpriced: all.reduce((sum, kind) => sum + kind.unpriced, 0),
    problems,
    problemCount,
    warnings: [...reader.warnings.values()],
    columns: reader.columns.input.map(({ name }) => name),
    digest,
    previousBatch: reader.previousBatch ?? null,
  };
}

/**
 * Streams the rows of a manifest that was checked with the same options.
 * @throws ManifestError at the first problem, and at the end if the file is not the one that was checked.
 */
export async function* readManifest(
  source: ManifestSource,
  options: ManifestOptions,
  checked: Pick<ManifestSummary, 'columns' | 'digest'>,
): AsyncGenerator<ManifestRow, void, undefined> {
  const reader = new ManifestReader(source, options, false);
  for await (const batch of readItems(source)) {
    for (const item of batch) {
      const { row, problems } = reader.accept(item);
      refuse(problems);
      if (item.type === 'end' && item.digest !== checked.digest) {
        const expected = 'the file that was checked';
        refuse([{ line: 1, id: '', column: '', expected, came: 'a file that changed since', code: 'changed' }]);
      }
      if (row !== undefined) yield pad(row, checked.columns.length);
    }
  }
  refuse(reader.finish());
}

function readItems(source: ManifestSource): AsyncIterable<readonly RawItem[]> {
  return source.format.format === 'csv' ? readCsv(source.path, source.format.delimiter) : readJsonl(source.path);
}

/** Early JSON lines lack cells for columns that occur later only. */
function pad(row: ManifestRow, columns: number): ManifestRow {
  if (row.input.length >= columns) return row;
  return { ...row, input: [...row.input, ...new Array<string>(columns - row.input.length).fill('')] };
}

function refuse(problems: readonly ManifestProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new ManifestError(`the manifest cannot be used: ${describeProblem(first)}. Nothing was spent.`, problems);
}

function emptyKinds(): Record<Kind, KindSummary> {
  const none: KindSummary = { rows: 0, quoted: 0, unpriced: 0 };
  return Object.fromEntries(KINDS.map((kind) => [kind, none])) as Record<Kind, KindSummary>;
}

function addRow(sum: KindSummary, quoted: number | null): KindSummary {
  return {
    rows: sum.rows + 1,
    quoted: tidy(sum.quoted + (quoted ?? 0)),
    unpriced: sum.unpriced + (quoted === null ? 1 : 0),
  };
}

/** Sums of decimal prices without the dust of binary fractions. */
function tidy(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}
