import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import type { TableFormat } from '../../contract/table-format.ts';
import { sha256Of } from '../../inputs/regular-file.ts';
import { unguardCell } from '../../inputs/formula-guard.ts';
import { collisionKey, FINISHED_FOLDER, JOINED_FOLDER, whyBadPath, MEDIA_FOLDER } from '../../inputs/output-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { hasContent, lstatsOf, readText } from '../files.ts';
import type { RealFolders } from '../real-folders.ts';
import type { Summary } from '../summary.ts';
import type { Findings } from '../verification/mismatch.ts';

// The two lists of files that are made from rows' audio, `joined.csv` and `finished.csv`: their formats, and what
// making and verifying such files have in common.

/** A file made from rows' audio, or one that could not be made. */
interface SoundLine {
  /** Path below the out folder; empty if the file was not made. */
  readonly file: string;
  readonly sha256: string;
}

/** A table in the out folder that lists files made from rows' audio, and those that could not be made. */
export interface SoundList<Line extends SoundLine = SoundLine> {
  /** Name of the table. */
  readonly csv: string;
  /** Schema of a line; its members are the columns. */
  readonly line: z.ZodObject & z.ZodType<Line>;
  /** Columns with numbers, or empty. Written with the table's decimal separator, read back with a point. */
  readonly figures: readonly string[];
}

/** The list of files that `--join` made, and of those that it could not make yet. */
export const JOINED = {
  csv: 'joined.csv',
  line: z.object({
    /** Value of the column of `--join`. */
    value: z.string(),
    file: pathInMedia(JOINED_FOLDER),
    /** How long it plays, pauses included; empty if the file was not made. */
    seconds: z.string(),
    /** Rows with this value. */
    rows: z.string(),
    sha256: z.string(),
    /** Digest of its inputs. */
    parts: z.string(),
    /** Why the file was not made; empty if it was. */
    message: z.string(),
  }),
  figures: ['seconds'],
} satisfies SoundList;

/** A joined file, or why there is none, and the rows that it was made of. */
export type JoinedLine = Readonly<z.infer<typeof JOINED.line>>;

/** The list of finished copies of speech, and of those that could not be made. */
export const FINISHED = {
  csv: 'finished.csv',
  line: z.object({
    /** Row in the manifest; empty for a file that `--join` made. */
    row: z.string(),
    /** The row's id, or the value of a joined file. */
    id: z.string(),
    /** Path of the original below the out folder. */
    original: z.string(),
    file: pathInMedia(FINISHED_FOLDER),
    /** How long the finished file plays, if its type says so. */
    seconds: z.string(),
    sha256: z.string(),
    /** LUFS; empty unless a loudness was asked for. */
    loudness_before: z.string(),
    loudness_after: z.string(),
    /** Digest of the original's content and of the finishing settings. */
    made_from: z.string(),
    /** Why the file was not made; empty if it was. */
    message: z.string(),
  }),
  figures: ['seconds', 'loudness_before', 'loudness_after'],
} satisfies SoundList;

/** A finished copy of one result, or why there is none. */
export type FinishedLine = Readonly<z.infer<typeof FINISHED.line>>;

/**
 * Returns a schema for a path in this folder below `media/`, or an empty string: a tampered list must not lead
 * elsewhere.
 */
function pathInMedia(folder: string): z.ZodString {
  const isOurs = (name: string): boolean =>
    name.startsWith(`${MEDIA_FOLDER}/${folder}/`) && whyBadPath(name) === undefined;
  return z.string().refine((name) => name === '' || isOurs(name));
}

/** Counts the files of a list that were made. */
export function countMade(lines: readonly SoundLine[]): number {
  return lines.filter(({ file }) => file !== '').length;
}

/** Reads a list as last written; empty if it is missing or, because the user edited it, invalid. */
export async function readLines<Line extends SoundLine>(
  out: string,
  { csv, line, figures }: SoundList<Line>,
  { delimiter }: Pick<TableFormat, 'delimiter'>,
): Promise<readonly Line[]> {
  const text = await readText(join(out, csv));
  if (text === undefined) return [];
  try {
    const found: unknown = parse(text, {
      delimiter,
      bom: true,
      columns: true,
      cast: (cell, { column }) => (figures.includes(String(column)) ? cell.replace(',', '.') : unguardCell(cell)),
    });
    return z.array(line).safeParse(found).data ?? [];
  } catch {
    return [];
  }
}

/** Removes files of the list `before` that are not in `now`, unless somebody changed them. */
export async function removeFormer(
  before: readonly SoundLine[],
  now: readonly SoundLine[],
  folders: RealFolders,
): Promise<void> {
  const listed = new Set(now.map(({ file }) => collisionKey(file)));
  for (const { file, sha256 } of before) {
    if (file === '' || listed.has(collisionKey(file)) || !(await folders.leadTo(file))) continue;
    const path = join(folders.out, file);
    if (await hasContent(path, sha256)) await rm(path, { force: true });
  }
}

/** Checks both lists against the summary, and their files against the lists. Returns how many files they name. */
export async function verifySound(
  folder: string,
  { csv: format, joined, finished }: Pick<Summary, 'csv' | 'joined' | 'finished'>,
  findings: Findings,
): Promise<number> {
  const verify = async (list: SoundList, files: number, missing: number, whatIsMissing: string): Promise<number> => {
    const lines = await readLines(folder, list, format);
    const made = countMade(lines);
    findings.compare(`${list.csv}, files`, files, made);
    findings.compare(`${list.csv}, ${whatIsMissing}`, missing, lines.length - made);
    return verifyFiles(folder, lines, findings);
  };
  const joins = joined && (await verify(JOINED, joined.files, joined.incomplete, 'incomplete files'));
  const copies = finished && (await verify(FINISHED, finished.files, finished.failed, 'files that were not made'));
  return (joins ?? 0) + (copies ?? 0);
}

/** Compares the files of a list with their sha256. Returns how many files the list names. */
async function verifyFiles(folder: string, lines: readonly SoundLine[], findings: Findings): Promise<number> {
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

/** The batch from whose results files are made, and where they go. */
export interface MakingFiles<FromStore> {
  readonly ledger: Pick<Ledger, 'scanRows'>;
  readonly store: FromStore;
  readonly batch: BatchRecord;
  /** Folders of the out folder. */
  readonly folders: RealFolders;
  /** Returns whether the file of a row has this name below the out folder. */
  readonly isTaken: (name: string) => boolean;
  readonly onFiles: OnFiles;
}

/** Progress callback for files made from results. */
export type OnFiles = (done: number, all: number) => void;

/** Reports zero files done, and returns a function to call after each. */
export function countFiles(all: number, onFiles: OnFiles): () => void {
  let done = 0;
  onFiles(done, all);
  return () => {
    done += 1;
    onFiles(done, all);
  };
}
