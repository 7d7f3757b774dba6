import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import pLimit from 'p-limit';
import { DeadlinePool } from '../../threads/thread-pool.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import type { LocalFile, MediaColumn } from '../../contract/row-kinds.ts';
import { readInFolders, stateOf, whyNotRead } from '../read-in-folders.ts';
import { readLocalMedia, type LocalMedia, type LocalMediaJob } from './read-local-media.ts';

/** A file that a row may send, or a short reason why it cannot be used. */
type FoundMedia = LocalFile | { readonly why: string };

/** Limits concurrent reads, since more would not be faster on one disk. */
const atOnce = pLimit(4);

/** Max read files to remember. */
const MAX_KNOWN = 10_000;

/** Files read by this process, by path, device, inode, size and times, so that a changed file is read again. */
const known = new Map<string, Promise<LocalMedia | { readonly why: string }>>();

/** Started with the first file. Its thread does not keep the process alive. */
let reader: DeadlinePool<LocalMediaJob> | undefined;

/**
 * Looks up and reads a local video or recording: its type, length and hash. Results are remembered until the file
 * changes, because many rows may name one file, and a manifest is read twice. Never throws.
 *
 * @param given the path as written in the manifest
 * @param folders base folders of relative paths; the first that has the file wins
 */
export async function findLocalMedia(
  given: string,
  column: MediaColumn,
  folders: readonly string[],
): Promise<FoundMedia> {
  const found = await readInFolders(given, folders, lookUp);
  return 'why' in found ? found : fits(found, column);
}

/** Requires that media have what their column needs. */
function fits({ hasVideo, hasAudio, ...file }: LocalMedia, column: MediaColumn): FoundMedia {
  if (column === 'video' ? hasVideo : hasAudio) return file;
  return {
    why: column === 'video' ? `a file without video (${file.extension})` : `a file without sound (${file.extension})`,
  };
}

/** Reads the file at a path. `folder`: the base folder of a relative path, which no symbolic link may leave. */
async function lookUp(place: string, folder: string | undefined): Promise<LocalMedia | { readonly why: string }> {
  try {
    const path = await realpath(place);
    if (folder !== undefined && isInside(folder, place) && !isInside(await realpath(folder), path)) {
      return { why: 'a symbolic link that leads out of the folder; write the path of the file itself' };
    }
    return await read(path);
  } catch (error) {
    return { why: whyNotRead(error) };
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Reads a file, unless it was read before and has not changed. */
async function read(path: string): Promise<LocalMedia | { readonly why: string }> {
  // Opening a pipe would otherwise block the thread until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let facts;
  try {
    facts = await file.stat({ bigint: true });
  } finally {
    await file.close();
  }
  if (!facts.isFile()) return { why: 'something that is no file' };
  if (facts.size === 0n) return { why: 'an empty file' };
  const name = `${path} ${stateOf(facts)}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  const bytes = Number(facts.size);
  const found = atOnce(() => readInThread({ path, bytes }));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, found);
  found.catch(() => known.delete(name));
  return found;
}

/** Memory limit of the thread, in MB: the index of a long video takes some. */
const MAX_MEGABYTES = 512;

function readInThread(job: LocalMediaJob): Promise<LocalMedia | { readonly why: string }> {
  const entry = findThreadEntry(import.meta.url, 'inputs/media-thread');
  reader ??= new DeadlinePool({ name: 'local media', entry, size: 1, maxMegabytes: MAX_MEGABYTES });
  return reader.run(job, job.bytes, {
    runHere: () => readLocalMedia(job),
    unread: (why) => ({ why: `a file that ${why}` }),
  });
}
