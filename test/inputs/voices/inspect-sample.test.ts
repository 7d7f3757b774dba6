import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { inspectSample } from '../../../inputs/voices/inspect-sample.ts';
import { openLocalFile } from '../../../store/local-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-sample-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a pipe is no sample, and nobody waits for somebody to write to it', async () => {
  const path = join(folder, 'pipe.wav');
  execFileSync('mkfifo', [path]);
  expect(await inspectSample(path, 1_000)).toEqual({ why: 'something that is no file' });
  await expect(openLocalFile({ path, bytes: 10, sha256: '' })).rejects.toThrow('is no file any more');
});
