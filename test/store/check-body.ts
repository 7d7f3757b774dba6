import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnfitBody } from '../../store/store.ts';
import { checkWhole } from '../../store/whole.ts';

/** What is said about a file with this content; undefined for a good one. */
export async function checkBody(
  body: Buffer,
  extension: string,
  family: 'audio' | 'video' | 'text' = 'audio',
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-whole-'));
  try {
    const path = join(folder, 'body');
    await writeFile(path, body);
    const file = await open(path);
    try {
      await checkWhole(file, body.length, extension, family);
      return undefined;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof UnfitBody) return error.message;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The same file without its last bytes. */
export const cut = (body: Buffer, bytes: number): Buffer => body.subarray(0, body.length - bytes);

/** The same file with a few bytes in the middle overwritten. */
export function scratched(body: Buffer, at: number, bytes = 8): Buffer {
  return Buffer.concat([body.subarray(0, at), Buffer.alloc(bytes, 0x41), body.subarray(at + bytes)]);
}
