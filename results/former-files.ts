import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isoTime } from '../contract/times.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { absentOnly, lstatsOf, linkOrRename, readJson, syncToDisk } from './files.ts';
import { RECEIPTS_JSONL, SUMMARY_FILE } from './out-files.ts';
import { isNewestOnRecord, newestRequestSchema } from './newest-request.ts';
import { LinkedFolder } from './errors.ts';
import { firstLink } from './real-folders.ts';

/*
 * A ledger may be replaced by an older copy, such as a restored backup, once a person has accepted that copy
 * (`ledger accept-copy`). The out folder then has files of a newer state, with results and receipts that the ledger
 * lacks. Before these files are replaced, they are kept in a subfolder, so that a person can compare, and so that
 * `reconcile` finds the missing requests on the receipts.
 */

const PREFIX = 'before-copy-';

/**
 * Returns the name of the subfolder for files of a newer state. `time`, ISO 8601: when the older copy was accepted, or
 * when the newest request on the files' receipts was made.
 */
export function formerFolder(time: string): string {
  return `${PREFIX}${time.replaceAll(':', '-')}`;
}

/** Returns the subfolders of an out folder with files of newer states. */
export async function formerFolders(out: string): Promise<readonly string[]> {
  const entries = (await readdir(out, { withFileTypes: true }).catch(absentOnly)) ?? [];
  return entries.flatMap((entry) =>
    entry.isDirectory() && entry.name.startsWith(PREFIX) ? [join(out, entry.name)] : [],
  );
}

/** The part of a summary that identifies the state of the ledger from which the folder's files were written. */
const stateSchema = z.object({
  batch: z.string(),
  /** Id of the ledger. */
  ledger: z.string(),
  accepted_copy: z.string().optional(),
  newest_request: newestRequestSchema.nullish(),
});
/** Which ledger, and up to which request, the files of a folder were written from. */
export type FolderState = z.infer<typeof stateSchema>;

/**
 * Reads that state from a folder's summary; undefined unless it is of this batch and ledger. A folder whose summary was
 * deleted, but not its receipts, counts as of an unknown state of these.
 */
export async function readFolderState(
  folder: string,
  batch: string,
  { id }: Pick<Ledger, 'id'>,
): Promise<FolderState | undefined> {
  const path = join(folder, SUMMARY_FILE);
  if ((await lstatsOf(path)) === undefined)
    return (await lstatsOf(join(folder, RECEIPTS_JSONL))) === undefined ? undefined : { batch, ledger: id };
  const state = stateSchema.safeParse(await readJson(path)).data;
  return state?.batch === batch && state.ledger === id ? state : undefined;
}

/** Reads when the ledger was last replaced by a copy, ISO 8601, as in summaries; undefined if it never was. */
export async function acceptedCopy(ledger: Pick<Ledger, 'acceptedAt'>): Promise<string | undefined> {
  const accepted = await ledger.acceptedAt();
  return accepted === null ? undefined : isoTime(accepted);
}

/**
 * Returns an object if the ledger may be older than a folder's files; undefined if it is not. It may be older if a copy
 * was accepted since the files were written, if the files name an accepted copy that it has no record of, or if it
 * lacks the newest request on the receipts. `time`: when the copy was accepted, or when that request was made;
 * undefined if unknown.
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
 * Keeps an out folder's files if the ledger may be older than they are: gives the files a second name in a subfolder
 * named for that time, once. Keeps nothing where the time is unknown, as in a folder of an earlier version. Returns the
 * subfolder's name; undefined if nothing was kept. A kill at any moment leaves each file under one name or both.
 * `names`: the files, without the summary; `acceptedAt`: see {@link acceptedCopy}. Throws {@link LinkedFolder}.
 */
export async function keepFormer(
  out: string,
  names: readonly string[],
  batch: string,
  ledger: Pick<Ledger, 'id' | 'readRow'>,
  acceptedAt: string | undefined,
): Promise<string | undefined> {
  const state = await readFolderState(out, batch, ledger);
  const time = state && (await newerThan(state, batch, ledger, acceptedAt))?.time;
  if (time === undefined) return undefined;
  const folder = formerFolder(time);
  const aside = join(out, folder);
  const link = await firstLink([aside]);
  if (link !== undefined) throw new LinkedFolder(link);
  await mkdir(aside, { recursive: true });
  // The summary is kept last. If it is here, a killed process may already have replaced files in the out folder.
  if ((await lstatsOf(join(aside, SUMMARY_FILE))) !== undefined) return folder;
  for (const name of names) await linkOrRename(join(out, name), join(aside, name)).catch(absentOnly);
  await syncToDisk(aside);
  await linkOrRename(join(out, SUMMARY_FILE), join(aside, SUMMARY_FILE)).catch(absentOnly);
  for (const path of [aside, out]) await syncToDisk(path);
  return folder;
}
