import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { absentOnly, lstatsOf, nameAlso, readJson, syncToDisk } from './files.ts';
import { SUMMARY_FILE } from './names.ts';
import { firstLink, LinkedFolder } from './real-folders.ts';

/** Name of the folder with the files of before a copy was accepted at this time. */
export function formerFolder(acceptedAt: string): string {
  return `before-copy-${acceptedAt.replaceAll(':', '-')}`;
}

const summaryOfFolder = z.object({ accepted_copy: z.string().optional() });

/**
 * Keeps the files of a ledger that a copy has taken the place of: the copy may lack their last rows, and somebody has to
 * compare. `acceptedAt`: when a copy was accepted last, as summaries say it. Gives the files a second name in a folder, once
 * for each acceptance, and returns that folder; undefined if they were written since then. A kill at any moment leaves each
 * file under one name or both.
 */
export async function keepFormer(
  out: string,
  names: readonly string[],
  acceptedAt: string | undefined,
): Promise<string | undefined> {
  const summary = summaryOfFolder.safeParse(await readJson(join(out, SUMMARY_FILE))).data;
  if (acceptedAt === undefined || summary === undefined || summary.accepted_copy === acceptedAt) return undefined;
  const folder = formerFolder(acceptedAt);
  const aside = join(out, folder);
  const link = await firstLink([aside]);
  if (link !== undefined) throw new LinkedFolder(link);
  await mkdir(aside, { recursive: true });
  // Whoever was killed after that may have replaced files here.
  if ((await lstatsOf(join(aside, SUMMARY_FILE))) !== undefined) return folder;
  for (const name of names) await nameAlso(join(out, name), join(aside, name)).catch(absentOnly);
  await syncToDisk(aside);
  await nameAlso(join(out, SUMMARY_FILE), join(aside, SUMMARY_FILE));
  for (const path of [aside, out]) await syncToDisk(path);
  return folder;
}
