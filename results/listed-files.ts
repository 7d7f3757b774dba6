import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import { sha256Of } from '../inputs/file-digest.ts';
import { unguardCell } from '../inputs/formula-guard.ts';
import { collisionKey, whyBadPath } from '../inputs/output-name.ts';
import { NotRegular, readRegular } from '../inputs/regular-file.ts';
import { lstatsOf } from './media.ts';
import type { Findings } from './verification/mismatch.ts';
import { MEDIA_FOLDER } from './names.ts';
import type { RealFolders } from './real-folders.ts';
import { isAbsent } from './system-errors.ts';

/** A file that was made from results, as a table in the out folder lists it. */
interface ListedFile {
  /** Path below the out folder; empty if the file was not made. */
  readonly file: string;
  readonly sha256: string;
}

/** Path of a file in this folder below `media/`, or empty: anything else in such a list is none of ours. */
export function pathInMedia(folder: string): z.ZodString {
  const isOurs = (name: string): boolean =>
    name.startsWith(`${MEDIA_FOLDER}/${folder}/`) && whyBadPath(name) === undefined;
  return z.string().refine((name) => name === '' || isOurs(name));
}

/** The lines of such a table as last written, as far as they can be read; a person may have changed it. */
export async function readListed<Line>(
  path: string,
  line: z.ZodType<Line>,
  delimiter: string,
): Promise<readonly Line[]> {
  let text: string;
  try {
    text = await readRegular(path);
  } catch (error) {
    if (isAbsent(error) || error instanceof NotRegular) return [];
    throw error;
  }
  try {
    const found: unknown = parse(text, { delimiter, bom: true, columns: true, cast: (cell) => unguardCell(cell) });
    return z.array(line).safeParse(found).data ?? [];
  } catch {
    return [];
  }
}

/** Whether the file is there with this content. */
export async function isThisFile(path: string, sha256: string): Promise<boolean> {
  return (await lstatsOf(path))?.isFile() === true && (await sha256Of(path)) === sha256;
}

/** Removes files that were made before and are not listed any more, if nobody has changed them. */
export async function removeFormer(
  before: readonly ListedFile[],
  now: readonly ListedFile[],
  folders: RealFolders,
): Promise<void> {
  const listed = new Set(now.map(({ file }) => collisionKey(file)));
  for (const { file, sha256 } of before) {
    if (file === '' || listed.has(collisionKey(file)) || !(await folders.leadTo(file))) continue;
    const path = join(folders.out, file);
    if (await isThisFile(path, sha256)) await rm(path, { force: true });
  }
}

/** Compares the files of a list with their sha256. Returns how many it names. */
export async function verifyListed(folder: string, lines: readonly ListedFile[], findings: Findings): Promise<number> {
  let named = 0;
  for (const { file, sha256 } of lines) {
    if (file === '') continue;
    named += 1;
    const path = join(folder, file);
    if ((await lstatsOf(path))?.isFile() === true) findings.compare(`${file}, sha256`, sha256, await sha256Of(path));
    else findings.add(file, 'a file', 'no such file; voxbatch results makes it again, free');
  }
  return named;
}
