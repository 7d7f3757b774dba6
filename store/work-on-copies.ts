import pLimit from 'p-limit';
import type { FileLoss } from '../contract/file-loss.ts';
import type { Bytes, Lease } from './bytes.ts';
import { StoredFileRefused } from './errors.ts';
import { JOIN, KEEP, SECONDS, type MediaThreads } from './media-threads.ts';
import { knownAs } from './media-work.ts';
import { removePart } from './put-in-folder.ts';
import { EXTENSIONS } from './sniff.ts';
import type { Expectation, StoredFile } from './store.ts';
import { UnfitBody } from './unfit.ts';
import type { WorkOnMedia } from './work-on-media.ts';

/** Copies fetched at once. */
const LEASES_AT_ONCE = 16;

/** Works on local copies of files that are kept elsewhere, and puts what it has made there. */
export function workOnCopies(bytes: Bytes, threads: MediaThreads): WorkOnMedia {
  return {
    keep: (stem, expectation, { from, sha256 }) => {
      let known: StoredFile | undefined;
      return async () => {
        // A repeated put need not check the body again.
        known ??= await threads.run(KEEP, { stem, expectation, from, sha256, into: undefined });
        if (known === undefined) throw new Error(`Expected ${stem} to be checked, but it was not.`);
        await bytes.put(known.key, { from, bytes: known.bytes, sha256: known.sha256 });
        if (typeof from === 'string') await removePart(from);
        return known;
      };
    },
    find: async (stem, expectation) => {
      for (const extension of await extensionsOf(bytes, stem, expectation)) {
        const found = await leased(bytes, `${stem}.${extension}`, (path) =>
          look(threads, path, stem, extension, expectation),
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
    seconds: ({ key, ...file }) => leased(bytes, key, (path) => threads.run(SECONDS, { ...file, path })),
    join: async (files, stem) => {
      const limit = pLimit(LEASES_AT_ONCE);
      const leases = await Promise.allSettled(files.map(({ key }) => limit(() => bytes.lease(key))));
      try {
        const given = leases.map(givenBy);
        for (const [at, is] of given.entries()) if (typeof is === 'string') return { type: 'damaged', at, is };
        const paths = given.map((one) => (typeof one === 'string' ? '' : one.path));
        const parts = files.map((file, number) => ({ ...file, path: paths[number] ?? '' }));
        const joined = await threads.run(JOIN, { files: parts, stem, parts: await bytes.partsIn(), into: undefined });
        if (joined.type !== 'joined') return joined;
        const { part, file } = joined;
        try {
          await bytes.put(file.key, { from: part, bytes: file.bytes, sha256: file.sha256 });
        } finally {
          await removePart(part);
        }
        return { type: 'joined', file };
      } finally {
        for (const lease of leases) if (lease.status === 'fulfilled') await lease.value?.release();
      }
    },
  };
}

/** The copy of a file, or how it is lost. */
function givenBy(settled: PromiseSettledResult<Lease | undefined>): Lease | FileLoss {
  if (settled.status === 'fulfilled') return settled.value ?? 'missing';
  if (settled.reason instanceof StoredFileRefused) return settled.reason.is;
  throw settled.reason;
}

/** The extensions under which the stem may be stored, in the order of looking. */
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

/** An incomplete file must have been altered and counts as missing. */
async function look(
  threads: MediaThreads,
  path: string,
  stem: string,
  extension: string,
  expectation: Pick<Expectation, 'family'>,
): Promise<StoredFile | undefined> {
  try {
    const job = { stem, expectation: knownAs(extension, expectation), from: path, into: undefined };
    const found = await threads.run(KEEP, job);
    return found && { ...found, key: `${stem}.${extension}`, extension };
  } catch (error) {
    if (error instanceof UnfitBody) return undefined;
    throw error;
  }
}

/** Works on a copy of a file; undefined if there is none. */
async function leased<T>(bytes: Bytes, key: string, work: (path: string) => Promise<T>): Promise<T | undefined> {
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
