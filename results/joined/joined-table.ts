import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import type { TableFormat } from '../../contract/table-format.ts';
import { unguardCell } from '../../inputs/formula-guard.ts';
import { JOINED_FOLDER, whyBadPath } from '../../inputs/output-name.ts';
import { MEDIA_FOLDER } from '../names.ts';
import { isAbsent } from '../system-errors.ts';

/** Lists the files that `--join` made, and those that it could not make yet. */
export const JOINED_CSV = 'joined.csv';

/** A line of `joined.csv`. */
const lineSchema = z.object({
  /** Value of the column of `--join`. */
  value: z.string(),
  /** Path below the out folder; empty if the file was not made. Anything else is none of ours. */
  file: z.string().refine((name) => name === '' || isJoinedFile(name)),
  /** How long it plays, pauses included; empty if the file was not made. */
  seconds: z.string(),
  /** Rows with this value. */
  rows: z.string(),
  sha256: z.string(),
  /** Digest of what went into it. */
  parts: z.string(),
  /** Why the file was not made; empty if it was. */
  message: z.string(),
});

function isJoinedFile(name: string): boolean {
  return name.startsWith(`${MEDIA_FOLDER}/${JOINED_FOLDER}/`) && whyBadPath(name) === undefined;
}

export type JoinedLine = Readonly<z.infer<typeof lineSchema>>;

export const JOINED_COLUMNS = Object.keys(lineSchema.shape) as (keyof JoinedLine)[];

/** How many files were made, and how many were not. */
export function countJoined(lines: readonly JoinedLine[]): { readonly files: number; readonly incomplete: number } {
  const files = lines.filter(({ file }) => file !== '').length;
  return { files, incomplete: lines.length - files };
}

/** The lines as last written, as far as they can be read; a person may have changed the file. */
export async function readJoined(out: string, { delimiter }: TableFormat): Promise<readonly JoinedLine[]> {
  let text: string;
  try {
    text = await readFile(join(out, JOINED_CSV), 'utf8');
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
  try {
    const found: unknown = parse(text, { delimiter, bom: true, columns: true, cast: (cell) => unguardCell(cell) });
    return z.array(lineSchema).safeParse(found).data ?? [];
  } catch {
    return [];
  }
}
