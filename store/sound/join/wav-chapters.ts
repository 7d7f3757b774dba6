import type { Chapter } from './join-request.ts';

/**
 * Chapters as players and editors read them in a WAV file: a `cue ` chunk with a point for each, and a list of their
 * labels (Multimedia Programming Interface and Data Specifications 1.0, chapter 3). Empty without chapters.
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

function chunk(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, 0, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}
