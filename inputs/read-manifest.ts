import { Bill } from './bill.ts';
import type { BillSummary } from './bill.ts';
import { findDuration } from './find-duration.ts';
import type { Priced } from './find-duration.ts';
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

/** What a whole pass over a manifest found. Sums are over the sound rows. */
export interface ManifestSummary extends BillSummary {
  /** Rows, bad ones included. */
  readonly rows: number;
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

/**
 * Reads a manifest to its end, checks and prices every row, and reports everything that is wrong at once.
 * `budget`: credits; how many rows it pays is then part of the bill.
 */
export async function checkManifest(
  source: ManifestSource,
  options: ManifestOptions,
  budget: number | null = null,
): Promise<ManifestSummary> {
  const reader = new ManifestReader(source, options, true);
  const bill = new Bill(budget);
  const problems: ManifestProblem[] = [];
  let problemCount = 0;
  let digest: string | null = null;
  const keep = (found: readonly ManifestProblem[]): void => {
    problemCount += found.length;
    problems.push(...found.slice(0, Math.max(0, KEPT_PROBLEMS - problems.length)));
  };
  for await (const batch of readItems(source)) {
    const rows: ManifestRow[] = [];
    let stopped = false;
    for (const item of batch) {
      const { row, problems: found, stop } = reader.accept(item);
      keep(found);
      if (row !== undefined) rows.push(row);
      if (item.type === 'end') ({ digest } = item);
      stopped = stop === true;
      if (stopped) break;
    }
    for (const row of await priceRows(rows, options)) bill.add(row);
    if (stopped) break;
  }
  keep(reader.finish());
  return {
    rows: reader.rows,
    ...bill.summary(),
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
    const rows: ManifestRow[] = [];
    for (const item of batch) {
      const { row, problems } = reader.accept(item);
      refuse(problems);
      if (item.type === 'end' && item.digest !== checked.digest) {
        const expected = 'the file that was checked';
        refuse([{ line: 1, id: '', column: '', expected, came: 'a file that changed since', code: 'changed' }]);
      }
      if (row !== undefined) rows.push(pad(row, checked.columns.length));
    }
    yield* await priceRows(rows, options);
  }
  refuse(reader.finish());
}

/** Rows whose price needs the length of their media, probed all at once: the probe knows how many it may read at a time. */
async function priceRows(
  rows: readonly ManifestRow[],
  options: ManifestOptions,
): Promise<readonly (ManifestRow & Priced)[]> {
  return Promise.all(
    rows.map(async (row) =>
      row.quoted === null ? { ...row, ...(await findDuration(row.spec, options)) } : { ...row, isAssumed: false },
    ),
  );
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
