import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Folders, onDisk } from './folders.ts';
import { joinSound, Unjoinable } from './join-sound.ts';
import { doMediaJob, FILE_MODE, newPart } from './media-work.ts';
import type { Joined, KeptFile } from './store.ts';

/** A media thread's job: several stored files, joined into one. */
export interface JoinJob {
  readonly type: 'join';
  /** Folder of the store. */
  readonly root: string;
  readonly files: readonly KeptFile[];
  readonly stem: string;
}

const folders = new Folders();

/**
 * Joins stored sound files into a new one. Each is read first and compared with its record, so that nothing altered gets
 * into what was paid for. Killed in between, a part file is left, which is swept later. Throws `StoreUnwritable`.
 */
export async function joinFiles({ root, files, stem }: JoinJob): Promise<Joined> {
  for (const [at, file] of files.entries()) {
    const is = await compare(join(root, file.key), file);
    if (is !== undefined) return { type: 'damaged', at, is };
  }
  const part = newPart(root);
  try {
    const parts = files.map(({ key, extension }) => ({ path: join(root, key), extension }));
    await folders.within(dirname(part), () => onDisk(part, () => joinSound(parts, part)));
    await chmod(part, FILE_MODE);
    const file = await doMediaJob({ root, stem, expectation: { family: 'audio' }, from: part });
    if (file === undefined) throw new Error(`Expected ${stem} to be stored, but it was not.`);
    return { type: 'joined', file };
  } catch (error) {
    await rm(part, { force: true });
    if (unjoinable(error) === undefined) throw error;
    return { type: 'unjoinable', why: unjoinable(error)?.message ?? '' };
  }
}

/** What `onDisk` wraps is no fault of the disk. */
function unjoinable(error: unknown): Unjoinable | undefined {
  if (error instanceof Unjoinable) return error;
  return error instanceof Error && error.cause instanceof Unjoinable ? error.cause : undefined;
}

/** How a file differs from its record; undefined: not at all. */
async function compare(path: string, file: KeptFile): Promise<'missing' | 'altered' | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return 'missing';
  }
  return bytes === file.bytes && hash.digest('hex') === file.sha256 ? undefined : 'altered';
}
