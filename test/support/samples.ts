import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalFile } from '../../contract/row-kinds.ts';
import { encodeSilence } from '../../simulator/media/encode-wav.ts';
import { endAfterTest } from './end-after-test.ts';

/** A folder that is gone after the test. */
export async function sampleFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-samples-'));
  endAfterTest(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A recording of some seconds that differs from those of other numbers, and what a checked row knows of it. */
export async function writeSample(folder: string, name: string, seconds = 0.5, number = 0): Promise<LocalFile> {
  const content = Buffer.from(encodeSilence(seconds));
  content[content.length - 1] = number;
  return writeFileOf(join(folder, name), content, { extension: 'wav', seconds });
}

/** Writes a file, and says of it what a checked row knows. */
export async function writeFileOf(
  path: string,
  content: Buffer,
  facts: Pick<LocalFile, 'extension' | 'seconds'>,
): Promise<LocalFile> {
  await writeFile(path, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { path, bytes: content.length, sha256, ...facts };
}
