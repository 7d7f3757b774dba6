import { join } from 'node:path';
import { sha256Of } from '../../inputs/file-digest.ts';
import { lstatsOf } from '../media.ts';
import type { Findings } from '../mismatch.ts';
import type { Summary } from '../summary.ts';
import { countJoined, JOINED_CSV, readJoined } from './joined-table.ts';

/** Compares the files that `--join` made with their list, and the list with the summary. Returns how many were read. */
export async function verifyJoined(
  folder: string,
  { csv, joined }: Pick<Summary, 'csv' | 'joined'>,
  findings: Findings,
): Promise<number> {
  if (joined === undefined) return 0;
  const lines = await readJoined(folder, csv);
  const counted = countJoined(lines);
  findings.compare(`${JOINED_CSV}, files`, joined.files, counted.files);
  findings.compare(`${JOINED_CSV}, incomplete files`, joined.incomplete, counted.incomplete);
  for (const { file, sha256 } of lines) {
    if (file === '') continue;
    const path = join(folder, file);
    if ((await lstatsOf(path))?.isFile() === true) findings.compare(`${file}, sha256`, sha256, await sha256Of(path));
    else findings.add(file, 'a file', 'no such file; voxbatch results makes it again, free');
  }
  return counted.files;
}
