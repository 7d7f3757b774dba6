import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FfmpegFailed } from '../ffmpeg.ts';
import { finishSound, type Finishing } from './finish-sound.ts';

const RATE = 24_000;

/**
 * Finishes half a second of a tone: an ffmpeg may be too old, or built without a filter or an encoder. Returns why it
 * cannot, in words of ffmpeg; undefined if it can. Takes half a second.
 */
export async function tryFinishing(finishing: Finishing, program: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-try-'));
  try {
    const path = join(folder, 'tone.wav');
    await writeFile(path, tone(RATE / 2));
    await finishSound({ path, extension: 'wav', seconds: 1, finishing, out: join(folder, 'out'), program });
    return undefined;
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error;
    return error.message;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A WAV file of so many samples. */
function tone(samples: number): Buffer {
  const file = Buffer.alloc(44 + samples * 2);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt \x10\0\0\0\x01\0\x01\0', 8, 'latin1');
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.write('\x02\0\x10\0data', 32, 'latin1');
  file.writeUInt32LE(samples * 2, 40);
  for (let at = 0; at < samples; at += 1) file.writeInt16LE(Math.round(3_000 * Math.sin(at / 8)), 44 + at * 2);
  return file;
}
