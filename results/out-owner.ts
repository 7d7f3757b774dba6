import { link, opendir, rm, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import * as z from 'zod';
import { NotRegular, openRegular } from '../inputs/regular-file.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchIdentity } from '../ledger/batches/batch-records.ts';
import { codeOf, isAbsent, lstatsOf, readJson } from './files.ts';
import { firstLink } from './real-folders.ts';
import { partPath } from './atomic-file.ts';
import { MEDIA_FOLDER } from '../inputs/output-name.ts';
import { CLAIM_FILE, PROJECTED_FILES, RESULTS_JSONL, SUMMARY_FILE } from './out-files.ts';

/** Max files of `media/` to check if nothing states their owner. */
const MAX_CHECKED = 1_000;
/** Max bytes to read of a table's first line. */
const FIRST_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Whose results a folder holds, from one batch's point of view.
 *
 * - `own`: the batch's.
 * - `free`: nobody's, so writing there overwrites nothing.
 * - `forgotten`: the batch's, but its ledger no longer has the batch on record. The ledger is older than the folder,
 *   and would pay for the rows again.
 * - `taken`: those of another batch, or files that we did not write.
 * - `linked`: its folder `media/` is a symbolic link, so writing there could overwrite anything.
 */
export type OutOwnership =
  | { readonly type: 'own' | 'free' | 'forgotten' }
  /** `by`: what the folder holds, as a predicate: `holds the results of …`. */
  | { readonly type: 'taken'; readonly by: string }
  /** `path`: of the link. */
  | { readonly type: 'linked'; readonly path: string };

/** The part of a ledger that identifies it, and shows whether it has a batch on record. */
export type OwnerLedger = Pick<Ledger, 'id' | 'findBatch'>;

/** The batch belongs to another ledger (another folder or home), so this one does not know its payments. */
const OF_ANOTHER_LEDGER =
  'holds the results of this batch from another ledger (use that one, in the folder or with the VOXBATCH_HOME that you ran it with: ' +
  'this ledger would pay for its rows again)';

const ownerSchema = z.object({
  batch: z.string(),
  manifest_digest: z.string(),
  api: z.string(),
  account: z.string(),
  /** Id of the ledger. */
  ledger: z.string(),
});
type Owner = z.infer<typeof ownerSchema>;

/**
 * Returns whose results a folder holds. A batch may write into a folder that its summary says is the batch's own, or
 * that has no file under our names. Changes nothing. Throws if the folder cannot be read.
 */
export async function ownershipOf(out: string, batch: BatchIdentity, ledger: OwnerLedger): Promise<OutOwnership> {
  const media = await firstLink([join(out, MEDIA_FOLDER)]);
  if (media !== undefined) return { type: 'linked', path: media };
  const stated = await statedOwnership(out, batch, ledger);
  if (stated !== undefined) return stated;
  // Somebody may have deleted the summary, but `results.jsonl` still says whose it is.
  if ((await batchOfFirstLine(join(out, RESULTS_JSONL))) === batch.name) return ownIfOnRecord(batch, ledger);
  for (const name of [SUMMARY_FILE, ...PROJECTED_FILES]) {
    if ((await lstatsOf(join(out, name))) !== undefined)
      return { type: 'taken', by: `has a file ${name} that is not of it` };
  }
  const foreign = await findForeignMedia(out);
  return foreign === undefined ? { type: 'free' } : { type: 'taken', by: `has a ${foreign} that is not of it` };
}

/** Returns the ownership that the summary or the claim states; undefined if the folder has neither. */
export async function statedOwnership(
  out: string,
  batch: BatchIdentity,
  ledger: OwnerLedger,
): Promise<OutOwnership | undefined> {
  for (const name of [SUMMARY_FILE, CLAIM_FILE]) {
    const owner = ownerSchema.safeParse(await readJson(join(out, name))).data;
    if (owner !== undefined) return compare(owner, batch, ledger);
  }
  return undefined;
}

/**
 * Claims a free folder for a batch, and returns whose it is afterwards: if two batches claim it at once, one gets it.
 * The folder must exist.
 */
export async function claimOut(out: string, batch: BatchIdentity, ledger: OwnerLedger): Promise<OutOwnership> {
  const before = await ownershipOf(out, batch, ledger);
  if (before.type !== 'free') return before;
  const { name, digest, apiUrl, account } = batch;
  const owner: Owner = { batch: name, manifest_digest: digest, api: apiUrl, account, ledger: ledger.id };
  const part = partPath(join(out, CLAIM_FILE));
  try {
    await writeFile(part, `${JSON.stringify(owner)}\n`, { flag: 'wx', flush: true });
    // Unlike a rename, a link fails if somebody else has claimed the folder since.
    await link(part, join(out, CLAIM_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(part, { force: true });
  }
  return ownershipOf(out, batch, ledger);
}

/** Compares a folder's stated owner with a batch. */
async function compare(owner: Owner, batch: BatchIdentity, ledger: OwnerLedger): Promise<OutOwnership> {
  if (owner.batch !== batch.name) return { type: 'taken', by: `holds the results of batch "${owner.batch}"` };
  const differs = findDifference(owner, batch);
  if (differs !== undefined)
    return { type: 'taken', by: `holds the results of another batch of this name, with ${differs}` };
  if (owner.ledger !== ledger.id) return { type: 'taken', by: OF_ANOTHER_LEDGER };
  // A folder is claimed once its batch is on record.
  return (await hasOnRecord(ledger, batch)) ? { type: 'own' } : { type: 'forgotten' };
}

function findDifference(owner: Owner, batch: BatchIdentity): string | undefined {
  if (owner.manifest_digest !== batch.digest) return 'another manifest';
  if (owner.api !== batch.apiUrl) return `another API (${owner.api})`;
  return owner.account === batch.account ? undefined : `another account (${owner.account})`;
}

/** Files that name no ledger belong to a ledger that has the batch on record; any other would pay for it again. */
async function ownIfOnRecord(batch: BatchIdentity, ledger: OwnerLedger): Promise<OutOwnership> {
  return (await hasOnRecord(ledger, batch)) ? { type: 'own' } : { type: 'taken', by: OF_ANOTHER_LEDGER };
}

async function hasOnRecord(ledger: OwnerLedger, { name, digest, apiUrl, account }: BatchIdentity): Promise<boolean> {
  const known = await ledger.findBatch(name);
  const isKnown =
    known !== undefined && known.digest === digest && known.apiUrl === apiUrl && known.account === account;
  return isKnown && known.state !== 'loading';
}

/**
 * Describes anything in `media/` that is not ours; undefined if there is none. Our files are hard links to the store,
 * never symbolic links. The owner is recorded before the first file is placed, so a sample is enough.
 */
async function findForeignMedia(out: string): Promise<string | undefined> {
  const stats = await lstatsOf(join(out, MEDIA_FOLDER));
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return `file ${MEDIA_FOLDER}`;
  let checked = 0;
  const folders = [MEDIA_FOLDER];
  for (const folder of folders) {
    for await (const entry of await opendir(join(out, folder))) {
      if (checked++ >= MAX_CHECKED) return undefined;
      const name = posix.join(folder, entry.name);
      if (entry.isSymbolicLink()) return `symbolic link ${name}`;
      if (entry.isDirectory()) folders.push(name);
      const there = entry.isFile() ? await lstatsOf(join(out, name)) : undefined;
      if (there?.nlink === 1n && !entry.name.startsWith('.')) return `file ${name}`;
    }
  }
  return undefined;
}

/** Returns the batch that the first line of `results.jsonl` names; undefined if it cannot be read. */
async function batchOfFirstLine(path: string): Promise<unknown> {
  try {
    const file = await openRegular(path);
    // The stream closes the file, even if the loop ends early.
    for await (const line of file.readLines({ end: FIRST_LINE_BYTES })) {
      const value: unknown = JSON.parse(line);
      return z.object({ _batch: z.string() }).safeParse(value).data?._batch;
    }
    return undefined;
  } catch (error) {
    if (isAbsent(error) || error instanceof NotRegular || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
