import { open } from 'node:fs/promises';
import type { FileWindow } from '../../containers/file-window.ts';
import { findWavSound } from '../../containers/wav-sound.ts';
import { onDisk } from '../../folders.ts';
import type { Chapter } from './join-parts.ts';
import { withFile } from './new-file.ts';

// Chapters in three forms: ID3 frames of MP3 files, cue chunks of WAV files, and ffmpeg's own metadata.

/** Max entries in a table of contents, whose count is one byte. */
const MAX_ENTRIES = 255;
/** Byte offset that means "none": players use the times instead. */
const NO_OFFSET = 0xffff_ffff;

/**
 * Returns an ID3 tag with chapters for an MP3 file: a `CHAP` frame for each, and their order in `CTOC` (ID3v2 Chapter
 * Frame Addendum 1.0). Version 2.3, which most players support. Empty without chapters.
 */
export function id3Chapters(chapters: readonly Chapter[]): Buffer {
  if (chapters.length === 0) return Buffer.alloc(0);
  const names = chapters.map((_, at) => `chp${at}`);
  const groups = Array.from({ length: Math.ceil(names.length / MAX_ENTRIES) }, (_, at) =>
    names.slice(at * MAX_ENTRIES, (at + 1) * MAX_ENTRIES),
  );
  const top = groups.map((_, at) => `toc${at}`);
  const contents =
    groups.length === 1
      ? [contentsFrame('toc', names, true)]
      : [contentsFrame('toc', top, true), ...groups.map((group, at) => contentsFrame(`toc${at}`, group, false))];
  const frames = Buffer.concat([...contents, ...chapters.map((chapter, at) => chapterFrame(`chp${at}`, chapter))]);
  const header = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1');
  // The length: four bytes of seven bits.
  for (let at = 0; at < 4; at += 1) header.writeUInt8((frames.length >> (21 - at * 7)) & 0x7f, 6 + at);
  return Buffer.concat([header, frames]);
}

/**
 * Returns a table of contents. One has at most {@link MAX_ENTRIES}; more chapters are grouped, and a top table lists
 * the groups.
 */
function contentsFrame(name: string, entries: readonly string[], isTop: boolean): Buffer {
  const flags = Buffer.from([isTop ? 3 : 1, entries.length]);
  return id3Frame('CTOC', Buffer.concat([text(name), flags, ...entries.map(text)]));
}

/** Returns a `CHAP` frame. */
function chapterFrame(name: string, { title, startMs, endMs }: Chapter): Buffer {
  const times = Buffer.alloc(16);
  times.writeUInt32BE(startMs, 0);
  times.writeUInt32BE(endMs, 4);
  times.writeUInt32BE(NO_OFFSET, 8);
  times.writeUInt32BE(NO_OFFSET, 12);
  // UTF-16 with its byte order mark, the only Unicode of this version.
  const words = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(`${title}\0`, 'utf16le')]);
  return id3Frame('CHAP', Buffer.concat([text(name), times, id3Frame('TIT2', words)]));
}

/** Returns an ID3 frame: name, length, flags, content. */
function id3Frame(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(10);
  header.write(name, 0, 'latin1');
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

/** Returns a text with its terminating zero. */
function text(words: string): Buffer {
  return Buffer.from(`${words}\0`, 'latin1');
}

/**
 * Returns chunks with chapters for a WAV file: a `cue ` chunk with a point for each, and a list of their labels
 * (Multimedia Programming Interface and Data Specifications 1.0, chapter 3). Empty without chapters.
 *
 * @param rate samples per second
 */
export function cueChunks(chapters: readonly Chapter[], rate: number): Buffer {
  if (chapters.length === 0) return Buffer.alloc(0);
  const count = Buffer.alloc(4);
  count.writeUInt32LE(chapters.length);
  const points = chapters.map(({ startMs }, at) => {
    const point = Buffer.alloc(24);
    const sample = Math.round((startMs / 1_000) * rate);
    point.writeUInt32LE(at + 1, 0);
    point.writeUInt32LE(sample, 4);
    point.write('data', 8, 'latin1');
    point.writeUInt32LE(sample, 20);
    return point;
  });
  const labels = chapters.map(({ title }, at) => {
    const id = Buffer.alloc(4);
    id.writeUInt32LE(at + 1);
    return chunk('labl', Buffer.concat([id, Buffer.from(`${title}\0`, 'utf8')]));
  });
  return Buffer.concat([
    chunk('cue ', Buffer.concat([count, ...points])),
    chunk('LIST', Buffer.concat([Buffer.from('adtl', 'latin1'), ...labels])),
  ]);
}

/** Returns a chunk of a WAV file: name, length, content, padding to an even length. */
function chunk(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, 0, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

/** Larger cue chunks are not ours: 50,000 chapters need less. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Bytes of a cue point. */
const POINT_BYTES = 24;

/**
 * Reads the chapters of a WAV file as written by `cueChunks`, which ffmpeg does not read. Empty for a file without
 * cues, or one that is not a WAV file.
 */
export function readCues(path: string): Promise<readonly Chapter[]> {
  return withFile(path, async (file) => {
    const sound = await findWavSound(file);
    if (sound?.format === undefined || sound.seconds === undefined) return [];
    const { rate } = sound.format;
    // By the id of the cue: its position in samples, and its label.
    const points = new Map<number, number>();
    const titles = new Map<number, string>();
    for await (const { name, content } of chunksFrom(file, sound.start + sound.bytes + (sound.bytes % 2))) {
      if (name === 'cue ') readPoints(content, points);
      if (name === 'LIST' && content.toString('latin1', 0, 4) === 'adtl') readTitles(content, titles);
    }
    const starts = [...points].sort(([, one], [, other]) => one - other);
    const toMs = (samples: number): number => Math.round((samples / rate) * 1_000);
    const end = sound.seconds * rate;
    return starts.map(([id, start], at) => ({
      title: titles.get(id) ?? '',
      startMs: toMs(start),
      endMs: toMs(starts[at + 1]?.[1] ?? end),
    }));
  });
}

/** Yields the chunks from an offset on, without overlong ones. */
async function* chunksFrom(file: FileWindow, from: number): AsyncGenerator<{ name: string; content: Buffer }> {
  for (let at = from; at + 8 <= file.bytes;) {
    const header = await file.read(at, 8);
    const size = header.readUInt32LE(4);
    if (size <= MAX_BYTES)
      yield {
        name: header.toString('latin1', 0, 4),
        content: await file.read(at + 8, Math.min(size, file.bytes - at - 8)),
      };
    at += 8 + size + (size % 2);
  }
}

/** Reads the positions of cues, in samples, by their id. */
function readPoints(content: Buffer, points: Map<number, number>): void {
  for (let at = 4; at + POINT_BYTES <= content.length; at += POINT_BYTES)
    points.set(content.readUInt32LE(at), content.readUInt32LE(at + 20));
}

/** Reads the labels of cues, by their id. */
function readTitles(content: Buffer, titles: Map<number, string>): void {
  for (let at = 4; at + 12 <= content.length;) {
    const size = content.readUInt32LE(at + 4);
    const text = content.subarray(at + 12, at + 8 + size).toString('utf8');
    if (content.toString('latin1', at, at + 4) === 'labl')
      titles.set(content.readUInt32LE(at + 8), text.split('\0', 1).join(''));
    at += 8 + size + (size % 2);
  }
}

/** Appends chapters to a WAV file, from which ffmpeg drops them, and updates the length in its header. */
export async function appendCues(path: string, chapters: readonly Chapter[], rate: number): Promise<void> {
  const cues = cueChunks(chapters, rate);
  if (cues.length === 0) return;
  await onDisk(path, async () => {
    const file = await open(path, 'r+');
    try {
      const { size } = await file.stat();
      const head = Buffer.alloc(4);
      await file.write(cues, 0, cues.length, size);
      head.writeUInt32LE(size + cues.length - 8);
      await file.write(head, 0, 4, 4);
    } finally {
      await file.close();
    }
  });
}

/** Returns chapters in ffmpeg's own format (ffmpeg-formats, "Metadata"). */
export function metadataOf(chapters: readonly Chapter[]): string {
  const lines = chapters.flatMap(({ title, startMs, endMs }) => [
    ...['[CHAPTER]', 'TIMEBASE=1/1000', `START=${startMs}`, `END=${endMs}`],
    `title=${title.replaceAll(/[=;#\\\n]/g, (character) => `\\${character}`)}`,
  ]);
  return [';FFMETADATA1', ...lines, ''].join('\n');
}
