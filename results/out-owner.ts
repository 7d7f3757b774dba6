import { randomUUID } from 'node:crypto';
import { link, open, opendir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { BatchIdentity } from '../ledger/record-types.ts';
import { PROJECTED_FILES, RESULTS_JSONL } from './batch-files.ts';
import { lstatsOf } from './media.ts';
import { MEDIA_FOLDER } from './names.ts';
import { readJson } from './read-json.ts';
import { CLAIM_FILE, SUMMARY_FILE } from './summary.ts';
import { codeOf, isAbsent } from './system-errors.ts';

/** Files of `media/` that are looked at where nothing says whose they are. */
const LOOKED_AT = 1_000;
/** The first line of a table is read up to this many bytes. */
const FIRST_LINE_BYTES = 16 * 1024 * 1024;

/** Whose results a folder holds, as seen by one batch. `free`: nothing of anybody would be overwritten. */
export type OutStanding =
  { readonly type: 'own' | 'free' } | { readonly type: 'taken'; /** What is there, in words. */ readonly by: string };

const ownerSchema = z.object({
  batch: z.string(),
  manifest_digest: z.string(),
  api: z.string(),
  account: z.string(),
});
type Owner = z.infer<typeof ownerSchema>;

/**
 * Tells whether a batch may write its files into a folder: one that is its own by the summary, or one without any file that has
 * the name of one of ours. Changes nothing. Throws where the folder cannot be read.
 */
export async function standingOf(out: string, batch: BatchIdentity): Promise<OutStanding> {
  for (const name of [SUMMARY_FILE, CLAIM_FILE]) {
    const owner = ownerSchema.safeParse(await readJson(join(out, name))).data;
    if (owner !== undefined) return compare(owner, batch);
  }
  // Somebody may have deleted the summary, and the tables still say whose they are.
  if ((await batchOfFirstLine(join(out, RESULTS_JSONL))) === batch.name) return { type: 'own' };
  for (const name of [SUMMARY_FILE, ...PROJECTED_FILES]) {
    if ((await lstatsOf(join(out, name))) !== undefined)
      return { type: 'taken', by: `has a file ${name} that is not of it` };
  }
  const foreign = await findForeignMedia(join(out, MEDIA_FOLDER));
  return foreign === undefined ? { type: 'free' } : { type: 'taken', by: `has a file ${foreign} that is not of it` };
}

/**
 * Marks a free folder as that of a batch, and says how it stands then: of two batches that claim it at once, one gets it. The
 * folder must be there.
 */
export async function claimOut(out: string, batch: BatchIdentity): Promise<OutStanding> {
  const before = await standingOf(out, batch);
  if (before.type === 'free') {
    const { name, digest, apiUrl, account } = batch;
    const owner: Owner = { batch: name, manifest_digest: digest, api: apiUrl, account };
    const part = join(out, `.voxbatch-${randomUUID()}.part`);
    try {
      await writeFile(part, `${JSON.stringify(owner)}\n`, { flag: 'wx', flush: true });
      await link(part, join(out, CLAIM_FILE));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      await rm(part, { force: true });
    }
    return standingOf(out, batch);
  }
  return before;
}

function compare(owner: Owner, batch: BatchIdentity): OutStanding {
  if (owner.batch !== batch.name) return { type: 'taken', by: `holds the results of batch "${owner.batch}"` };
  const differs =
    owner.manifest_digest !== batch.digest
      ? 'another manifest'
      : owner.api !== batch.apiUrl
        ? `another API (${owner.api})`
        : owner.account !== batch.account
          ? `another account (${owner.account})`
          : undefined;
  if (differs === undefined) return { type: 'own' };
  return { type: 'taken', by: `holds the results of another batch of this name, with ${differs}` };
}

/**
 * A file in `media/` that we did not put there; undefined if there is none. Ours are links to the store. Only an earlier version left
 * them without a word of whose they are, so a look at some of them is enough.
 */
async function findForeignMedia(folder: string): Promise<string | undefined> {
  const stats = await lstatsOf(folder);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return MEDIA_FOLDER;
  let looked = 0;
  for await (const entry of await opendir(folder)) {
    if (looked++ >= LOOKED_AT) return undefined;
    const there = entry.isFile() ? await lstatsOf(join(folder, entry.name)) : undefined;
    if (there?.nlink === 1n && !entry.name.startsWith('.')) return `${MEDIA_FOLDER}/${entry.name}`;
  }
  return undefined;
}

async function batchOfFirstLine(path: string): Promise<unknown> {
  try {
    const file = await open(path);
    // The stream closes the file, also where the loop leaves it early.
    for await (const line of file.readLines({ end: FIRST_LINE_BYTES })) {
      const value: unknown = JSON.parse(line);
      return z.object({ _batch: z.string() }).safeParse(value).data?._batch;
    }
    return undefined;
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
