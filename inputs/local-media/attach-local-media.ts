import { cellOfContent } from '../../contract/local-media.ts';
import { show, type ManifestProblem } from '../../contract/manifest-problems.ts';
import type { LocalFile, MediaColumn } from '../../contract/row-kinds.ts';
import type { Columns } from '../header.ts';
import type { UnpricedRow } from '../manifest-options.ts';
import type { RowsByFiles } from '../voices/attach-samples.ts';
import { pathOfCell } from './rules.ts';

const COLUMNS: readonly MediaColumn[] = ['video', 'audio'];

/**
 * Looks up the local media of rows: each is read whole, so that the row asks for that content, whatever its path leads
 * to later. `folders`: see `ManifestOptions.filesFrom`.
 */
export async function attachLocalMedia(
  before: RowsByFiles,
  folders: readonly string[],
  columns: Pick<Columns, 'headerOf'>,
): Promise<RowsByFiles> {
  if (before.rows.every(({ spec }) => COLUMNS.every((column) => pathOf(spec, column) === undefined))) return before;
  // Loads the code that reads media only if a row has such files.
  const { findLocalMedia } = await import('./find-local-media.ts');
  const found = await Promise.all(
    before.rows.map(async (row) => {
      const cells = COLUMNS.flatMap((column) => {
        const path = pathOf(row.spec, column);
        return path === undefined ? [] : [{ column, path }];
      });
      const files = await Promise.all(
        cells.map(async ({ column, path }) => ({ column, path, file: await findLocalMedia(path, column, folders) })),
      );
      return { row, files };
    }),
  );
  const rows: UnpricedRow[] = [];
  const faulty = [...before.faulty];
  const problems = [...before.problems];
  for (const { row, files } of found) {
    const wrong = files.flatMap(({ column, path, file }): ManifestProblem[] => {
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

const EXPECTED: Readonly<Record<MediaColumn, string>> = {
  audio: 'a URL, or the path of a file with sound that voxbatch can read',
  video: 'a URL, or the path of a video that voxbatch can read',
};

function pathOf(spec: UnpricedRow['spec'], column: MediaColumn): string | undefined {
  const cell = spec[column];
  return cell === undefined ? undefined : pathOfCell(cell);
}

function withFile(row: UnpricedRow, column: MediaColumn, file: LocalFile): UnpricedRow {
  const { spec } = row;
  const local = { ...spec.local, [column]: file };
  return { ...row, spec: { ...spec, [column]: cellOfContent(file.sha256), local } };
}
