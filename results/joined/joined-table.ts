import { join } from 'node:path';
import * as z from 'zod';
import type { TableFormat } from '../../contract/table-format.ts';
import { JOINED_FOLDER } from '../../inputs/output-name.ts';
import { pathInMedia, readListed } from '../listed-files.ts';

/** Lists the files that `--join` made, and those that it could not make yet. */
export const JOINED_CSV = 'joined.csv';

/** A line of `joined.csv`. */
const lineSchema = z.object({
  /** Value of the column of `--join`. */
  value: z.string(),
  /** Path below the out folder; empty if the file was not made. Anything else is none of ours. */
  file: pathInMedia(JOINED_FOLDER),
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

export type JoinedLine = Readonly<z.infer<typeof lineSchema>>;

export const JOINED_COLUMNS = Object.keys(lineSchema.shape) as (keyof JoinedLine)[];

/** How many files were made, and how many were not. */
export function countJoined(lines: readonly JoinedLine[]): { readonly files: number; readonly incomplete: number } {
  const files = lines.filter(({ file }) => file !== '').length;
  return { files, incomplete: lines.length - files };
}

/** The lines as last written, as far as they can be read. */
export function readJoined(out: string, { delimiter }: TableFormat): Promise<readonly JoinedLine[]> {
  return readListed(join(out, JOINED_CSV), lineSchema, delimiter);
}
