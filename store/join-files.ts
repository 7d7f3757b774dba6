import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Folders } from './folders.ts';
import { doMediaJob } from './media-work.ts';
import type { OwnedFolder } from './owner-file.ts';
import { FILE_MODE, newPart } from './put-in-folder.ts';
import { CannotJoin, type JoinPart } from './sound/join/join-parts.ts';
import type { Joined, KeptFile, StoredPart } from './store.ts';
import { joinMp3 } from './sound/join/join-mp3.ts';
import { joinWav } from './sound/join/join-wav.ts';

/** A job of a media thread: join stored files into one. */
export interface JoinJob {
  /** In their order. `path`: the stored file itself, or a local copy. */
  readonly files: readonly (StoredPart & { readonly path: string })[];
  /** Key of the joined file, without its extension. */
  readonly stem: string;
  /** The folder for the joined file while it is written. */
  readonly parts: OwnedFolder;
  /** The folder to store the joined file in, which must be that of `parts`. Undefined: it stays a part file. */
  readonly into: OwnedFolder | undefined;
}

/** Outcome of joining. `part`: path of the joined part file, unless it was stored. */
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

/** Returns how a file differs from its record; undefined if it does not. */
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

/** Functions that join files of one type, by extension. */
const JOINERS: Readonly<Record<string, (parts: readonly JoinPart[], out: string) => Promise<void>>> = {
  mp3: joinMp3,
  wav: joinWav,
};

/**
 * Joins WAV or MP3 files of one format into a new one, with pauses between them, and chapters. Copies samples or frames
 * without decoding them, so that the same files give the same bytes each time. Keeps little of a file in memory.
 *
 * @param out absolute path of the new file, which must not exist
 *
 * Throws {@link CannotJoin} if the files do not fit together, `StoreUnwritable` if the disk refuses the file, and the
 * system's error if a part is missing. The caller cleans up partial output.
 */
export async function joinSound(parts: readonly JoinPart[], out: string): Promise<void> {
  const [first] = parts;
  if (first === undefined) throw new CannotJoin('Expected files to join, but there is none.');
  const types = [...new Set(parts.map(({ extension }) => extension))];
  if (types.length > 1)
    throw new CannotJoin(
      `Only files of one type can be joined, and these are ${types.join(' and ')}: the column "format", or --format, says which a row gets.`,
    );
  const join = JOINERS[first.extension];
  if (join === undefined) throw new CannotJoin(`Only WAV and MP3 files can be joined, and ${first.path} is neither.`);
  await join(parts, out);
}
