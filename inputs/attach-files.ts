import { cellOfContent } from '../contract/local-media.ts';
import { show, type ManifestProblem } from '../contract/manifest-problems.ts';
import type { LocalFile, MediaColumn } from '../contract/row-kinds.ts';
import type { Columns } from './columns.ts';
import type { UnpricedRow } from './manifest-options.ts';
import { pathOfCell } from './local-media/path-cells.ts';
import type { SampleRules } from './voices/check-samples.ts';

/** Rows, divided by whether their local files can be sent. */
interface RowsByFiles {
  /** Rows with sendable files attached, and rows without files. */
  readonly rows: readonly UnpricedRow[];
  /** Rows whose files cannot be sent. */
  readonly faulty: readonly UnpricedRow[];
  readonly problems: readonly ManifestProblem[];
}

/**
 * Reads the local files that rows name (recordings of voices, and media), and records the content's hash in the rows.
 * So a row asks for that content, even if the file at its path changes later. Called for each portion of a manifest
 * that names files.
 *
 * @param rules the folders of relative paths, and the limits of recordings
 * @param columns names the columns in problems as the file does
 */
export async function attachFiles(
  rows: readonly UnpricedRow[],
  rules: SampleRules,
  columns: Pick<Columns, 'headerOf'>,
): Promise<RowsByFiles> {
  const sampled = await attachSamples(rows, rules, columns.headerOf('samples'));
  return attachLocalMedia(sampled, rules.folders, columns);
}

/** Reads the recordings of rows that make voices. `column`: their header in the file. */
async function attachSamples(rows: readonly UnpricedRow[], rules: SampleRules, column: string): Promise<RowsByFiles> {
  if (rows.every(({ spec }) => spec.samples === undefined)) return { rows, faulty: [], problems: [] };
  // Loads the audio code only if a row has samples.
  const { checkSamples } = await import('./voices/check-samples.ts');
  const checked = await Promise.all(
    rows.map(async (row) => ({
      row,
      found: row.spec.samples === undefined ? undefined : await checkSamples(row.spec, rules),
    })),
  );
  const faulty: UnpricedRow[] = [];
  const problems: ManifestProblem[] = [];
  const attached = checked.flatMap(({ row, found }): UnpricedRow[] => {
    if (found === undefined) return [row];
    if ('samples' in found) return [{ ...row, spec: { ...row.spec, samples: found.samples } }];
    problems.push(...found.findings.map((one) => ({ line: row.line, id: row.id, column, ...one })));
    faulty.push(row);
    return [];
  });
  return { rows: attached, faulty, problems };
}

/** The columns with media. */
const COLUMNS: readonly MediaColumn[] = ['video', 'audio'];

/**
 * Reads the local media of rows, and adds to the rows and problems of `before`. `folders`: those in
 * which relative paths begin.
 */
async function attachLocalMedia(
  before: RowsByFiles,
  folders: readonly string[],
  columns: Pick<Columns, 'headerOf'>,
): Promise<RowsByFiles> {
  if (before.rows.every(({ spec }) => COLUMNS.every((column) => pathOf(spec, column) === undefined))) return before;
  // Loads the code that reads media only if a row has such files.
  const { findLocalMedia } = await import('./local-media/find-local-media.ts');
  const read = async (row: UnpricedRow, column: MediaColumn) => {
    const path = pathOf(row.spec, column);
    return path === undefined ? [] : [{ column, path, file: await findLocalMedia(path, column, folders) }];
  };
  const found = await Promise.all(
    before.rows.map(async (row) => {
      const files = await Promise.all(COLUMNS.map((column) => read(row, column)));
      return { row, files: files.flat() };
    }),
  );
  const rows: UnpricedRow[] = [];
  const faulty = [...before.faulty];
  const problems = [...before.problems];
  for (const { row, files } of found) {
    const wrong = files.flatMap(({ column, path, file }): ManifestProblem[] => {
      // Without `why`, the file was read.
      if (!('why' in file)) return [];
      const expected = `${EXPECTED[column]} (a relative path begins in the folder of the manifest)`;
      const got = `${show(path)}: ${file.why}`;
      return [{ line: row.line, id: row.id, column: columns.headerOf(column), expected, got, code: 'bad-media' }];
    });
    problems.push(...wrong);
    if (wrong.length > 0) faulty.push(row);
    else rows.push(files.reduce((one, { column, file }) => ('why' in file ? one : withFile(one, column, file)), row));
  }
  return { rows, faulty, problems };
}

/** What the columns expect, for problems. */
const EXPECTED: Readonly<Record<MediaColumn, string>> = {
  audio: 'a URL, or the path of a file with sound that voxbatch can read',
  video: 'a URL, or the path of a video that voxbatch can read',
};

/** Returns the path in a cell; undefined for a URL, or without a cell. */
function pathOf(spec: UnpricedRow['spec'], column: MediaColumn): string | undefined {
  const cell = spec[column];
  return cell === undefined ? undefined : pathOfCell(cell);
}

/** Returns a row whose cell names the file's content instead of its path. */
function withFile(row: UnpricedRow, column: MediaColumn, file: LocalFile): UnpricedRow {
  const { spec } = row;
  const local = { ...spec.local, [column]: file };
  return { ...row, spec: { ...spec, [column]: cellOfContent(file.sha256), local } };
}
