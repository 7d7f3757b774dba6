import { isoTime } from '../contract/times.ts';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Ledger } from '../ledger/ledger.ts';
import { absentOnly, lstatsOf, linkOrRename, readJson, syncToDisk } from './files.ts';
import { SUMMARY_FILE } from './file-names.ts';
import { isNewestOnRecord, newestRequestSchema } from './newest-request.ts';
import { LinkedFolder } from './errors.ts';
import { firstLink } from './real-folders.ts';

const PREFIX = 'before-copy-';

/**
 * Name of the folder with the files of before a copy was accepted at this time, or with a newest request of this time.
 */
export function formerFolder(time: string): string {
  return `${PREFIX}${time.replaceAll(':', '-')}`;
}

/** The folders in an out folder with files of before. */
export async function formerFolders(out: string): Promise<readonly string[]> {
  const entries = (await readdir(out, { withFileTypes: true }).catch(absentOnly)) ?? [];
  return entries.flatMap((entry) =>
    entry.isDirectory() && entry.name.startsWith(PREFIX) ? [join(out, entry.name)] : [],
  );
}

/** What a summary says of the state of the ledger that the files beside it were written from. */
const stateSchema = z.object({
  batch: z.string(),
  /** Id of the ledger. */
  ledger: z.string(),
  accepted_copy: z.string().optional(),
  newest_request: newestRequestSchema.nullish(),
});
export type FolderState = z.infer<typeof stateSchema>;

/** Reads it from a folder; undefined if its files are not of this batch and ledger, or do not say so. */
export async function readFolderState(
  folder: string,
  batch: string,
  { id }: Pick<Ledger, 'id'>,
): Promise<FolderState | undefined> {
  const standing = stateSchema.safeParse(await readJson(join(folder, SUMMARY_FILE))).data;
  return standing?.batch === batch && standing.ledger === id ? standing : undefined;
}

/** When a copy was accepted last, as summaries say it; undefined if none was. */
export async function acceptedCopy(ledger: Pick<Ledger, 'acceptedAt'>): Promise<string | undefined> {
  const accepted = await ledger.acceptedAt();
  return accepted === null ? undefined : isoTime(accepted);
}

/**
 * Whether the ledger may lack what an out folder has: a copy was accepted since, or forgotten, or it does not have the
 * newest request. `time`: of the acceptance, else of that request. Undefined if it lacks nothing.
 */
export async function newerThan(
  { accepted_copy: accepted, newest_request: newest }: FolderState,
  batch: string,
  ledger: Pick<Ledger, 'readRow'>,
  acceptedAt: string | undefined,
): Promise<{ readonly time: string | undefined } | undefined> {
  if (acceptedAt !== accepted) return { time: acceptedAt ?? newest?.intent_at };
  // Written by an earlier version.
  if (newest === undefined) return { time: undefined };
  if (newest === null || (await isNewestOnRecord(newest, batch, ledger))) return undefined;
  return { time: newest.intent_at };
}

/**
 * Keeps the files of a state of the ledger that an older one has taken the place of: that may lack their last rows, and
 * somebody has to compare. `acceptedAt`: see {@link acceptedCopy}. Gives the files a second name in a folder, once for
 * each time, and returns that folder; undefined if the ledger lacks nothing of them. A kill at any moment leaves each
 * file under one name or both.
 */
export async function keepFormer(
  out: string,
  names: readonly string[],
  batch: string,
  ledger: Pick<Ledger, 'id' | 'readRow'>,
  acceptedAt: string | undefined,
): Promise<string | undefined> {
  const standing = await readFolderState(out, batch, ledger);
  const time = standing && (await newerThan(standing, batch, ledger, acceptedAt))?.time;
  if (time === undefined) return undefined;
  const folder = formerFolder(time);
  const aside = join(out, folder);
  const link = await firstLink([aside]);
  if (link !== undefined) throw new LinkedFolder(link);
  await mkdir(aside, { recursive: true });
  // Whoever was killed after that may have replaced files here.
  if ((await lstatsOf(join(aside, SUMMARY_FILE))) !== undefined) return folder;
  for (const name of names) await linkOrRename(join(out, name), join(aside, name)).catch(absentOnly);
  await syncToDisk(aside);
  await linkOrRename(join(out, SUMMARY_FILE), join(aside, SUMMARY_FILE));
  for (const path of [aside, out]) await syncToDisk(path);
  return folder;
}
