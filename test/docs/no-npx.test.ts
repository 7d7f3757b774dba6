import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** This file, and the history of what was said. */
const MAY_SAY_IT = ['test/docs/no-npx.test.ts', 'CHANGELOG.md'];

describe('npx', () => {
  it('is in no page and no message: outside of this folder it fetches a foreign package of our name, with the token in its environment', () => {
    const tracked = execFileSync('git', ['ls-files', '*.md', '*.ts', '*.mjs', '*.json'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const files = tracked.split('\n').filter((file) => file !== '' && !MAY_SAY_IT.includes(file));
    expect(files).toEqual(expect.arrayContaining(['README.md', 'starters/demo.ts', 'docs/guide/rehearsal.md']));
    expect(files.filter((file) => /npx (--?\S+ )*voxbatch/.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  it('is given no name that is not ours: the package is private, and its command is called voxbatch all the same', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      name: '@voxbatch-unpublished/voxbatch',
      private: true,
      bin: { voxbatch: 'dist/starters/cli.js' },
    });
  });
});
