import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Folders } from './folders.ts';
import { doMediaJob } from './media-work.ts';
import type { OwnedFolder } from './owner-file.ts';
import { FILE_MODE, newPart } from './put-in-folder.ts';
import { CannotJoin } from './sound/join/join-parts.ts';
import { joinSound } from './sound/join/join-sound.ts';
import type { Joined, KeptFile, StoredPart } from './store.ts';

/** Several stored files, joined into one. */
export interface JoinJob {
  /** `path`: the file itself, or a copy of it. */
  readonly files: readonly (StoredPart & { readonly path: string })[];
  readonly stem: string;
  /** The folder for the joined file while it is written. */
  readonly parts: OwnedFolder;
  /** The folder that the joined file is stored in: that of `parts`. Undefined: it stays a part file. */
  readonly into: OwnedFolder | undefined;
}

/** The joined file, still a part file of this path unless it was stored. */
export type JoinedPart =
  Exclude<Joined, { type: 'joined' }> | (Extract<Joined, { type: 'joined' }> & { readonly part: string });

const folders = new Folders();

/**
 * Joins stored sound files into a new one. Each is first verified against its record, so that no altered file gets into
 * the result. If the process is killed, the leftover part file is swept later. Throws `StoreUnwritable`.
 */
export async function joinFiles(job: JoinJob): Promise<JoinedPart> {
  const { parts, into, files, stem } = job;
  for (const [at, file] of files.entries()) {
    const is = await compare(file.path, file);
    if (is !== undefined) return { type: 'damaged', at, is };
  }
  const out = newPart(parts.root);
  try {
    await folders.within(dirname(out), parts, () => joinSound(files, out));
    await chmod(out, FILE_MODE);
    const file = await doMediaJob({ into, stem, expectation: { family: 'audio' }, from: out });
    if (file === undefined) throw new Error(`Expected ${stem} to be stored, but it was not.`);
    return { type: 'joined', file, part: out };
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
