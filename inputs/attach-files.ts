import { cellOfContent } from '../contract/local-media.ts';
import { show, type ManifestProblem } from '../contract/manifest-problems.ts';
import { fileColumnsOf, filesIn, type LocalFile, type MediaColumn, type SpecColumn } from '../contract/row-kinds.ts';
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
 * Reads the local files that rows name (recordings to upload, and media), and records the content's hash in the rows.
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
  const uploads = await attachUploads(rows, rules, columns);
  return attachLocalMedia(uploads, rules.folders, columns);
}

/** Reads the recordings that requests upload, in whatever columns. */
async function attachUploads(
  rows: readonly UnpricedRow[],
  rules: SampleRules,
  columns: Pick<Columns, 'headerOf'>,
): Promise<RowsByFiles> {
  const named = ({ spec }: UnpricedRow): readonly (readonly [column: SpecColumn, files: readonly LocalFile[]])[] =>
    fileColumnsOf(spec.kind).flatMap((column) => {
      const files = filesIn(spec, column);
      return files === undefined ? [] : [[column, files] as const];
    });
  if (rows.every((row) => named(row).length === 0)) return { rows, faulty: [], problems: [] };
  // Loads the audio code only if a row has such files.
  const { checkSamples } = await import('./voices/check-samples.ts');
  const check = async ([column, files]: readonly [SpecColumn, readonly LocalFile[]]) =>
    [column, await checkSamples(files, rules)] as const;
  const checked = await Promise.all(
    rows.map(async (row) => ({ row, cells: await Promise.all(named(row).map(check)) })),
  );
  const faulty: UnpricedRow[] = [];
  const problems: ManifestProblem[] = [];
  const attached = checked.flatMap(({ row, cells }): UnpricedRow[] => {
    const wrong = cells.flatMap(([column, found]) =>
      'files' in found
        ? []
        : found.findings.map((one) => ({ line: row.line, id: row.id, column: columns.headerOf(column), ...one })),
    );
    problems.push(...wrong);
    if (wrong.length > 0) {
      faulty.push(row);
      return [];
    }
    const read = cells.flatMap(([column, found]) => ('files' in found ? [[column, found.files] as const] : []));
    return [read.length === 0 ? row : { ...row, spec: { ...row.spec, ...Object.fromEntries(read) } }];
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
