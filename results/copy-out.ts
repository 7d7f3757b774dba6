import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sha256Of } from '../inputs/file-digest.ts';
import type { Store } from '../store/store.ts';
import { nameAlso } from './name-also.ts';
import { isAbsent } from './system-errors.ts';
import { partPath } from './whole-file.ts';

/** What is on record of a stored file. */
export interface RecordedFile {
  readonly key: string;
  /** Hex. */
  readonly sha256: string;
}

/**
 * What became of a copy. `kept`: the file had this content already. `other`: it has another, and was not to be replaced.
 * `missing`, `altered`: the store no longer has the content on record; nothing was written.
 */
export type CopiedOut = 'written' | 'kept' | 'other' | 'missing' | 'altered';

/**
 * Copies a stored file to a place of the user's, outside of any out folder: whole under its name, or absent. A copy, not
 * a link: what a person does to a file of theirs must not change what is stored. A place that is no regular file (a
 * pipe, a device) is written to as it is.
 */
export async function copyOut(
  file: RecordedFile,
  store: Pick<Store, 'read'>,
  given: string,
  { replace }: { readonly replace: boolean },
): Promise<CopiedOut> {
  const there = await stat(given).catch(absentOnly);
  if (there !== undefined && !there.isFile()) return pour(file, store, given);
  // The file behind a symbolic link is written, as other programs do.
  const path = there === undefined ? given : await realpath(given);
  if (there !== undefined && (await hasContent(path, file))) return 'kept';
  if (there !== undefined && !replace) return 'other';
  const body = await read(file, store);
  if (body === undefined) return 'missing';
  const part = partPath(path);
  try {
    const hash = createHash('sha256');
    await pipeline(body, hashing(hash), createWriteStream(part, { flags: 'wx', flush: true }));
    if (hash.digest('hex') !== file.sha256) return 'altered';
    if (replace) await rename(part, path);
    else if (!(await nameAlso(part, path))) {
      // The same command, run twice at once, puts the same content there.
      return (await hasContent(path, file)) ? 'kept' : 'other';
    }
    return 'written';
  } finally {
    await rm(part, { force: true });
  }
}

/** Whether the store has the content on record. */
export async function isIntact(
  file: RecordedFile,
  store: Pick<Store, 'read'>,
): Promise<'intact' | 'missing' | 'altered'> {
  const body = await read(file, store);
  if (body === undefined) return 'missing';
  const hash = createHash('sha256');
  await pipeline(body, hash);
  return hash.digest('hex') === file.sha256 ? 'intact' : 'altered';
}

async function pour(file: RecordedFile, store: Pick<Store, 'read'>, path: string): Promise<CopiedOut> {
  // A reader of a pipe cannot be told that what it has read was damaged.
  const is = await isIntact(file, store);
  if (is !== 'intact') return is;
  await pipeline(await store.read(file.key), createWriteStream(path, { flags: 'w' }));
  return 'written';
}

async function hasContent(path: string, { sha256 }: RecordedFile): Promise<boolean> {
  if ((await stat(path).catch(absentOnly))?.isFile() !== true) return false;
  return (await sha256Of(path).catch(absentOnly)) === sha256;
}

function hashing(hash: ReturnType<typeof createHash>): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done): void {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

/** Undefined: the store has no such file. */
function read({ key }: RecordedFile, store: Pick<Store, 'read'>): Promise<Readable | undefined> {
  return store.read(key).catch(absentOnly);
}

function absentOnly(error: unknown): undefined {
  if (isAbsent(error)) return undefined;
  throw error;
}
