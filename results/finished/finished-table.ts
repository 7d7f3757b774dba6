import { join } from 'node:path';
import * as z from 'zod';
import type { TableFormat } from '../../contract/table-format.ts';
import { FINISHED_FOLDER } from '../../inputs/output-name.ts';
import { pathInMedia, readListed } from '../listed-files.ts';

/** Lists the finished copies of speech, and those that could not be made. */
export const FINISHED_CSV = 'finished.csv';

/** A line of `finished.csv`. */
const lineSchema = z.object({
  /** Row in the manifest; empty for a file that `--join` made. */
  row: z.string(),
  /** The row's id, or the value of a joined file. */
  id: z.string(),
  /** Path of the original below the out folder. */
  original: z.string(),
  /** Path of the finished file below the out folder; empty if it was not made. Anything else is none of ours. */
  file: pathInMedia(FINISHED_FOLDER),
  /** How long the finished file plays, if its type says so. */
  seconds: z.string(),
  sha256: z.string(),
  /** LUFS; empty unless a loudness was asked for. */
  loudness_before: z.string(),
  loudness_after: z.string(),
  /** Digest of the original's content and of what was asked for. */
  made_from: z.string(),
  /** Why the file was not made; empty if it was. */
  message: z.string(),
});

export type FinishedLine = Readonly<z.infer<typeof lineSchema>>;

export const FINISHED_COLUMNS = Object.keys(lineSchema.shape) as (keyof FinishedLine)[];

/** How many files were made, and how many were not. */
export function countFinished(lines: readonly FinishedLine[]): { readonly files: number; readonly failed: number } {
  const files = lines.filter(({ file }) => file !== '').length;
  return { files, failed: lines.length - files };
}

/** The lines as last written, as far as they can be read. */
export function readFinished(out: string, { delimiter }: TableFormat): Promise<readonly FinishedLine[]> {
  return readListed(join(out, FINISHED_CSV), lineSchema, delimiter);
}
