import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Folders } from './folders.ts';
import { doMediaJob, FILE_MODE, newPart } from './media-work.ts';
import type { OwnedFolder } from './owner-file.ts';
import { CannotJoin } from './sound/join/join-parts.ts';
import { joinSound } from './sound/join/join-sound.ts';
import type { Joined, KeptFile, StoredPart } from './store.ts';

/** Several stored files, joined into one. */
export interface JoinJob extends OwnedFolder {
  readonly files: readonly StoredPart[];
  readonly stem: string;
}

const folders = new Folders();

/**
 * Joins stored sound files into a new one. Each is first verified against its record, so that no altered file gets into
 * the result. If the process is killed, the leftover part file is swept later. Throws `StoreUnwritable`.
 */
export async function joinFiles(job: JoinJob): Promise<Joined> {
  const { root, owner, files, stem } = job;
  for (const [at, file] of files.entries()) {
    const is = await compare(join(root, file.key), file);
    if (is !== undefined) return { type: 'damaged', at, is };
  }
  const out = newPart(root);
  const parts = files.map((file) => ({ ...file, path: join(root, file.key) }));
  try {
    await folders.within(dirname(out), job, () => joinSound(parts, out));
    await chmod(out, FILE_MODE);
    const file = await doMediaJob({ root, owner, stem, expectation: { family: 'audio' }, from: out });
    if (file === undefined) throw new Error(`Expected ${stem} to be stored, but it was not.`);
    return { type: 'joined', file };
  } catch (error) {
    await rm(out, { force: true });
    if (!(error instanceof CannotJoin)) throw error;
    return { type: 'unjoinable', why: error.message };
  }
}

/** How a file differs from its record, if it does. */
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
