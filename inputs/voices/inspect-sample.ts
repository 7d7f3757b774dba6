import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Sample } from './read-sample.ts';
import { startSampleReader, type SampleReader } from './sample-reader.ts';

/** Files that are read at once: each is held in memory. */
const atOnce = pLimit(4);

/** Files beyond this many are read again when they are asked for again. */
const MOST_KNOWN = 2_000;

const known = new Map<string, Sample>();

/** Started with the first recording. Its thread keeps no process alive. */
let reader: SampleReader | undefined;

/**
 * Reads a recording of this machine: what its content is, how long it is, and its hash. A manifest is read twice, so
 * what a file is is remembered until it changes. Never throws.
 *
 * @param path absolute
 * @param most largest file that is read, in bytes
 */
export async function inspectSample(path: string, most: number): Promise<Sample> {
  return atOnce(async () => {
    try {
      return await inspect(path, most);
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code;
      if (code === 'ENOENT' || code === 'ENOTDIR') return { why: 'no such file' };
      return { why: `a file that cannot be read${typeof code === 'string' ? ` (${code})` : ''}` };
    }
  });
}

async function inspect(path: string, most: number): Promise<Sample> {
  // A pipe would keep the thread that opens it until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = await file.stat({ bigint: true });
    if (!facts.isFile()) return { why: 'something that is no file' };
    const bytes = Number(facts.size);
    if (bytes === 0) return { why: 'an empty file' };
    if (bytes > most) return { why: `a file of ${inMegabytes(bytes)}` };
    const name = [path, facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ');
    const before = known.get(name);
    if (before !== undefined) return before;
    const content = await file.readFile();
    reader ??= startSampleReader();
    const sample = await reader.read(path, content);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(name, sample);
    return sample;
  } finally {
    await file.close();
  }
}

/** A number of bytes, for people: `4.5 MB`. */
export function inMegabytes(bytes: number): string {
  return `${String(Math.round(bytes / 1e5) / 10)} MB`;
}
