import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileWindow } from '../../store/containers/file-window.ts';
import { checkMedia } from '../../store/inspect.ts';
import { UnfitBody } from '../../store/unfit.ts';

/** What is said about a body with this content, in a file and in memory alike; undefined for a good one. */
export async function checkBody(
  body: Buffer,
  extension: string,
  family: 'audio' | 'video' = 'audio',
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-whole-'));
  try {
    const path = join(folder, 'body');
    await writeFile(path, body);
    const file = await open(path);
    try {
      const inFile = await describe(FileWindow.ofFile(file, body.length), extension, family);
      const inMemory = await describe(FileWindow.ofBody(body), extension, family);
      if (inFile !== inMemory) throw new Error(`In a file: ${inFile}; in memory: ${inMemory}.`);
      return inFile;
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function describe(file: FileWindow, extension: string, family: 'audio' | 'video'): Promise<string | undefined> {
  try {
    return (await checkMedia(file, extension, family)).unfit;
  } catch (error) {
    if (error instanceof UnfitBody) return error.message;
    throw error;
  }
}

/** The same file without its last bytes. */
export const cut = (body: Buffer, bytes: number): Buffer => body.subarray(0, body.length - bytes);

/** The same file with a few bytes in the middle overwritten. */
export function scratched(body: Buffer, at: number, bytes = 8): Buffer {
  return Buffer.concat([body.subarray(0, at), Buffer.alloc(bytes, 0x41), body.subarray(at + bytes)]);
}
