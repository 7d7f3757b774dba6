import type { FileWindow } from '../../containers/file-window.ts';
import { findWavSound } from '../../containers/wav-sound.ts';
import type { Chapter } from '../join/join-request.ts';
import { withFile } from '../join/new-file.ts';

/** Chunks of cues above this are none of ours: 50,000 chapters have less. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Bytes of a cue point. */
const POINT_BYTES = 24;

/**
 * The chapters of a WAV file, as `cueChunks` writes them: ffmpeg reads none. Empty for a file without cues, or one that
 * is none.
 */
export function readCues(path: string): Promise<readonly Chapter[]> {
  return withFile(path, async (file) => {
    const sound = await findWavSound(file);
    if (sound?.format === undefined || sound.seconds === undefined) return [];
    const { rate } = sound.format;
    const [points, titles] = [new Map<number, number>(), new Map<number, string>()];
    for await (const { name, content } of chunksFrom(file, sound.start + sound.bytes + (sound.bytes % 2))) {
      if (name === 'cue ') readPoints(content, points);
      if (name === 'LIST' && content.toString('latin1', 0, 4) === 'adtl') readTitles(content, titles);
    }
    const starts = [...points].sort(([, one], [, other]) => one - other);
    const [toMs, end] = [(samples: number): number => Math.round((samples / rate) * 1_000), sound.seconds * rate];
    return starts.map(([id, start], at) => ({
      title: titles.get(id) ?? '',
      startMs: toMs(start),
      endMs: toMs(starts[at + 1]?.[1] ?? end),
    }));
  });
}

async function* chunksFrom(file: FileWindow, from: number): AsyncGenerator<{ name: string; content: Buffer }> {
  for (let at = from; at + 8 <= file.bytes;) {
    const header = await file.read(at, 8);
    const size = header.readUInt32LE(4);
    if (size <= MOST_BYTES)
      yield {
        name: header.toString('latin1', 0, 4),
        content: await file.read(at + 8, Math.min(size, file.bytes - at - 8)),
      };
    at += 8 + size + (size % 2);
  }
}

function readPoints(content: Buffer, points: Map<number, number>): void {
  for (let at = 4; at + POINT_BYTES <= content.length; at += POINT_BYTES)
    points.set(content.readUInt32LE(at), content.readUInt32LE(at + 20));
}

function readTitles(content: Buffer, titles: Map<number, string>): void {
  for (let at = 4; at + 12 <= content.length;) {
    const size = content.readUInt32LE(at + 4);
    const text = content.subarray(at + 12, at + 8 + size).toString('utf8');
    if (content.toString('latin1', at, at + 4) === 'labl')
      titles.set(content.readUInt32LE(at + 8), text.split('\0', 1).join(''));
    at += 8 + size + (size % 2);
  }
}
