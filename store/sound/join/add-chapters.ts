import { open, rename, rm, writeFile } from 'node:fs/promises';
import { onDisk } from '../../folders.ts';
import { fileArgument, runFfmpeg } from '../ffmpeg.ts';
import type { Chapter } from './join-request.ts';
import { cueChunks } from './wav-chapters.ts';

/** A file that ffmpeg has written. */
interface Written {
  readonly path: string;
  /** Its container; null where it keeps no chapters itself. */
  readonly muxer: string | null;
  /** Samples a second. */
  readonly rate: number;
  /** Absolute path of ffmpeg. */
  readonly program: string;
}

/** Gives a file chapters, without encoding it again. ADTS streams can have none, and FLAC files none that ffmpeg writes. */
export async function addChapters(
  chapters: readonly Chapter[],
  { path, muxer, rate, program }: Written,
): Promise<void> {
  if (chapters.length === 0) return;
  if (muxer === null) {
    await appendCues(path, cueChunks(chapters, rate));
    return;
  }
  const list = `${path}.chapters`;
  const marked = `${path}.marked`;
  try {
    await onDisk(list, () => writeFile(list, metadataOf(chapters)));
    const inputs = ['-i', fileArgument(path), '-f', 'ffmetadata', '-i', fileArgument(list)];
    const copied = ['-map', '0:a:0', '-map_chapters', '1', '-c', 'copy', '-bitexact', '-f', muxer];
    await runFfmpeg({ program, args: [...inputs, ...copied, fileArgument(marked)] });
    await onDisk(path, () => rename(marked, path));
  } finally {
    await rm(list, { force: true });
    await rm(marked, { force: true });
  }
}

/** ffmpeg keeps no cues in a WAV file: they go behind its samples, and the length in its header follows. */
async function appendCues(path: string, cues: Buffer): Promise<void> {
  await onDisk(path, async () => {
    const file = await open(path, 'r+');
    try {
      const { size } = await file.stat();
      const head = Buffer.alloc(4);
      await file.read(head, 0, 4, 0);
      if (head.toString('latin1') !== 'RIFF') return;
      await file.write(cues, 0, cues.length, size);
      head.writeUInt32LE(size + cues.length - 8);
      await file.write(head, 0, 4, 4);
    } finally {
      await file.close();
    }
  });
}

/** ffmpeg's own list of chapters (ffmpeg-formats, "Metadata"). */
export function metadataOf(chapters: readonly Chapter[]): string {
  const lines = chapters.flatMap(({ title, startMs, endMs }) => [
    ...['[CHAPTER]', 'TIMEBASE=1/1000', `START=${startMs}`, `END=${endMs}`],
    `title=${title.replaceAll(/[=;#\\\n]/g, (character) => `\\${character}`)}`,
  ]);
  return [';FFMETADATA1', ...lines, ''].join('\n');
}
