import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import pLimit from 'p-limit';
import { DeadlinePool } from '../../threads/thread-pool.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { stateOf, whyNotRead } from '../read-in-folders.ts';
import { readSample, type Sample } from './read-sample.ts';

/** A job of the thread that reads recordings. */
export interface SampleJob {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Limits concurrent reads, because each file is held in memory. */
const atOnce = pLimit(4);

/** Max files to remember. */
const MAX_KNOWN = 2_000;

/** Files read by this process, by path, device, inode, size and times, so that a changed file is read again. */
const known = new Map<string, Sample>();

/** Started with the first recording. Its thread does not keep the process alive. */
let reader: ReturnType<typeof startSampleReader> | undefined;

/**
 * Inspects a local recording: its type, length and hash. A manifest is read twice, so results are cached until the file
 * changes. Never throws.
 *
 * @param path absolute
 * @param maxBytes a larger file is not read
 */
export async function inspectSample(path: string, maxBytes: number): Promise<Sample> {
  return atOnce(async () => {
    try {
      return await inspect(path, maxBytes);
    } catch (error) {
      return { why: whyNotRead(error) };
    }
  });
}

/** Reads a recording, unless it was read before and has not changed. */
async function inspect(path: string, maxBytes: number): Promise<Sample> {
  // Opening a pipe would otherwise block the thread until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = await file.stat({ bigint: true });
    if (!facts.isFile()) return { why: 'something that is no file' };
    const bytes = Number(facts.size);
    if (bytes === 0) return { why: 'an empty file' };
    if (bytes > maxBytes) return { why: `a file of ${inMegabytes(bytes)}` };
    const name = `${path} ${stateOf(facts)}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const content = await file.readFile();
    reader ??= startSampleReader();
    const sample = await reader.read(path, content);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, sample);
    return sample;
  } finally {
    await file.close();
  }
}

/** Memory limit of the thread, in MB; a recording has a few. */
const MAX_MEGABYTES = 256;

/**
 * Starts a thread that reads recordings with a deadline for each, so that a damaged file cannot hang the caller. A file
 * that misses its deadline is rejected.
 *
 * @param entry compiled `media-thread.ts`; default: found beside this module
 * @param secondMs how long a second of a deadline is, ms; default 1,000
 */
export function startSampleReader(
  entry = findThreadEntry(import.meta.url, 'inputs/media-thread'),
  secondMs = 1_000,
): { read(path: string, content: Uint8Array): Promise<Sample>; close(): Promise<void> } {
  const options = { name: 'samples', entry, size: 1, maxMegabytes: MAX_MEGABYTES, secondMs };
  const pool = new DeadlinePool<SampleJob>(options);
  return {
    read: (path, content) =>
      pool.run({ path, content }, content.length, {
        runHere: () => readSample(path, content),
        unread: (why) => ({ why: `a file that ${why}` }),
      }),
    close: () => pool.close(),
  };
}

/** Formats a number of bytes: `4.5 MB`. */
export function inMegabytes(bytes: number): string {
  return `${String(Math.round(bytes / 1e5) / 10)} MB`;
}
