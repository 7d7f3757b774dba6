import { mkdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import * as z from 'zod';
import { sha256Of } from '../../inputs/regular-file.ts';
import { hasContent, linkOrRename, readJson, statsOf, syncToDisk } from '../files.ts';
import { REPLACEABLE_FILE, SUMMARY_FILE } from '../out-files.ts';
import { AtomicFile } from '../atomic-file.ts';

/*
 * People edit tables in an out folder and run them again (`redrive --from`). Before a table is replaced, an edited one
 * is kept under another name. A table counts as edited unless its content is one that we wrote: the summary lists the
 * hashes of the last ones, and the file below those that a killed process may have published without a summary.
 */

/** An edited table, and the name under which it is kept; both in the out folder. */
export interface KeptTable {
  readonly name: string;
  readonly keptAs: string;
}

const summaryFiles = z.object({ files: z.record(z.string(), z.string()) });
const replaceable = z.object({ sha256: z.array(z.string()) });

/** Reads the sha256 of each file as last written, from the summary. Empty without a summary. */
export async function writtenLast(out: string): Promise<Readonly<Record<string, string>>> {
  return summaryFiles.safeParse(await readJson(join(out, SUMMARY_FILE))).data?.files ?? {};
}

/** Reads the sha256 of all contents that may be replaced: `written`, and those that {@link allowReplacing} recorded. */
export async function replaceableIn(
  out: string,
  written: Readonly<Record<string, string>>,
): Promise<ReadonlySet<string>> {
  return new Set([...Object.values(written), ...(await readReplaceable(out))]);
}

/**
 * Records, until the next summary, that tables with these contents may be replaced: tables that are about to be
 * published, so that after a kill they do not count as edited, or a table whose edits are in the ledger. Creates the
 * folder if needed.
 */
export async function allowReplacing(out: string, sha256: readonly string[]): Promise<void> {
  await mkdir(out, { recursive: true });
  const file = await AtomicFile.create(join(out, REPLACEABLE_FILE));
  try {
    const all = new Set([...(await readReplaceable(out)), ...sha256]);
    await file.write(`${JSON.stringify({ sha256: [...all] })}\n`);
    await file.seal();
    await file.publish();
  } finally {
    await file.abandon();
  }
}

async function readReplaceable(out: string): Promise<readonly string[]> {
  return replaceable.safeParse(await readJson(join(out, REPLACEABLE_FILE))).data?.sha256 ?? [];
}

/**
 * Gives a table a second name unless its content may be replaced, so that rewriting it loses nothing. A kill at any
 * moment leaves the table under one name or both. Returns undefined if there is nothing to keep.
 */
export async function keepEdited(
  out: string,
  name: string,
  mayReplace: ReadonlySet<string>,
): Promise<KeptTable | undefined> {
  const path = join(out, name);
  if ((await statsOf(path))?.isFile() !== true) return undefined;
  const sha256 = await sha256Of(path);
  if (mayReplace.has(sha256)) return undefined;
  await syncToDisk(path);
  const { name: stem, ext } = parse(name);
  for (let number = 1; ; number += 1) {
    const keptAs = `${stem}.edited${number === 1 ? '' : `-${String(number)}`}${ext}`;
    const aside = join(out, keptAs);
    if (!(await linkOrRename(path, aside)) && !(await hasContent(aside, sha256, statsOf))) continue;
    await syncToDisk(out);
    return { name, keptAs };
  }
}
