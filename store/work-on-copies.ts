import pLimit from 'p-limit';
import type { FileLoss } from '../contract/file-loss.ts';
import type { Bytes } from './bytes.ts';
import { StoredFileRefused } from './errors.ts';
import { JOIN, KEEP, SECONDS, type MediaThreads } from './media-threads.ts';
import { expectationFor } from './media-work.ts';
import { removePart } from './put-in-folder.ts';
import { EXTENSIONS } from './sniff.ts';
import type { JoinedPart, JoinJob } from './join-files.ts';
import type { Expectation, Joined, StoredFile } from './store.ts';
import { UnfitBody } from './unfit.ts';
import type { WorkOnMedia } from './work-on-media.ts';

/** Copies fetched at once. */
const LEASES_AT_ONCE = 16;

/** Works on local copies of files that are stored elsewhere, and uploads the results. */
export function workOnCopies(bytes: Bytes, threads: MediaThreads): WorkOnMedia {
  return {
    keep: (stem, expectation, { from, sha256 }) => {
      let known: StoredFile | undefined;
      return async () => {
        // When the upload alone failed, the body need not be checked again.
        known ??= await threads.run(KEEP, { stem, expectation, from, sha256, into: undefined });
        if (known === undefined) throw new Error(`Expected ${stem} to be checked, but it was not.`);
        await bytes.put(known.key, { from, bytes: known.bytes, sha256: known.sha256 });
        if (typeof from === 'string') await removePart(from);
        return known;
      };
    },
    find: async (stem, expectation) => {
      for (const extension of await extensionsOf(bytes, stem, expectation)) {
        const found = await withLease(bytes, `${stem}.${extension}`, (path) =>
          findIn(threads, path, { stem, extension, family: expectation.family }),
        );
        if (found !== undefined) return found;
      }
      return undefined;
    },
    reuse: async (file, stem) => {
      const key = `${stem}.${file.extension}`;
      const type = await bytes.copy(file, key);
      return type === 'reused' ? { type, file: { ...file, key } } : { type };
    },
    seconds: ({ key, ...file }) => withLease(bytes, key, (path) => threads.run(SECONDS, { ...file, path })),
    join: async (files, stem) => {
      const limit = pLimit(LEASES_AT_ONCE);
      const leases = await Promise.allSettled(
        files.map((file) =>
          limit(async () => {
            const lease = await bytes.lease(file.key);
            return lease && { file, lease };
          }),
        ),
      );
      try {
        const parts: JoinJob['files'][number][] = [];
        for (const [at, found] of leases.map(valueOrLoss).entries()) {
          if (typeof found === 'string') return { type: 'damaged', at, is: found };
          parts.push({ ...found.file, path: found.lease.path });
        }
        const joined = await threads.run(JOIN, { files: parts, stem, parts: bytes.parts, into: undefined });
        return joined.type === 'joined' ? await putJoined(bytes, joined) : joined;
      } finally {
        for (const settled of leases) if (settled.status === 'fulfilled') await settled.value?.lease.release();
      }
    },
  };
}

/** Uploads a joined file, and removes its part file. */
async function putJoined(
  bytes: Bytes,
  { file, part }: Extract<JoinedPart, { readonly type: 'joined' }>,
): Promise<Joined> {
  try {
    await bytes.put(file.key, { from: part, bytes: file.bytes, sha256: file.sha256 });
  } finally {
    await removePart(part);
  }
  return { type: 'joined', file };
}

/** Returns what was leased, or how the file is lost. Throws any other error. */
function valueOrLoss<T extends object>(settled: PromiseSettledResult<T | undefined>): T | FileLoss {
  if (settled.status === 'fulfilled') return settled.value ?? 'missing';
  if (settled.reason instanceof StoredFileRefused) return settled.reason.is;
  throw settled.reason;
}

/** Returns the extensions with which the stem may be stored, in the order of {@link EXTENSIONS}. */
async function extensionsOf(
  bytes: Bytes,
  stem: string,
  { extension }: Pick<Expectation, 'extension'>,
): Promise<readonly string[]> {
  if (extension !== undefined) return [extension];
  const there = new Set<string>();
  for await (const key of bytes.list(`${stem}.`)) there.add(key.slice(stem.length + 1));
  return EXTENSIONS.filter((one) => there.has(one));
}

/**
 * Checks the local copy of a stored file. An incomplete file was altered since it was stored, and counts as missing.
 */
async function findIn(
  threads: MediaThreads,
  path: string,
  { stem, extension, family }: Pick<Expectation, 'family'> & { readonly stem: string; readonly extension: string },
): Promise<StoredFile | undefined> {
  try {
    const job = { stem, expectation: expectationFor(extension, { family }), from: path, into: undefined };
    const found = await threads.run(KEEP, job);
    return found && { ...found, key: `${stem}.${extension}`, extension };
  } catch (error) {
    if (error instanceof UnfitBody) return undefined;
    throw error;
  }
}

/**
 * Runs `work` on a local copy of a file, and removes the copy. Undefined if there is no such file, or it is refused.
 */
async function withLease<T>(bytes: Bytes, key: string, work: (path: string) => Promise<T>): Promise<T | undefined> {
  const lease = await bytes.lease(key).catch((error: unknown) => {
    if (error instanceof StoredFileRefused) return undefined;
    throw error;
  });
  if (lease === undefined) return undefined;
  try {
    return await work(lease.path);
  } finally {
    await lease.release();
  }
}
