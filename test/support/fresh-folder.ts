import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach } from '@jest/globals';
import { endAfterTest } from './end-after-test.ts';

/** A folder that is gone after the test, or, made in `beforeAll`, after the last one of the file. */
export function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'voxbatch-test-')));
  endAfterTest(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

/** A fresh folder for each test of a file: the path of what has this name in it, or its own. */
export function folderForEach(): (...names: readonly string[]) => string {
  let folder = '';
  beforeEach(() => {
    folder = freshFolder();
  });
  return (...names) => join(folder, ...names);
}
