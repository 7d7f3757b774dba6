/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The runner on other versions of Node, with an npm that has only this one, on a project of two tests. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'run-on-node-')));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'jest.config.mjs'),
    "export default { projects: ['unit', 'live'].map((name) => ({ displayName: name, testMatch: ['<rootDir>/' + name + '/*'], cacheDirectory: '<rootDir>/cache' })) };",
  );
  mkdirSync(join(folder, 'unit'));
  writeFileSync(join(folder, 'unit/one.test.js'), "it('passes', () => undefined); it('fails', () => { throw 1; });");
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs it; returns the exit code, its headings and counts, and the versions that npm was asked for. */
async function run(...args: readonly string[]): Promise<{
  readonly code: number;
  readonly lines: readonly string[];
  readonly asked: readonly string[];
}> {
  const fake = `#!/bin/sh
    echo "$3" >> '${folder}/asked'
    test "$3" = --package=node@99 && exit 1
    echo '${process.execPath}'`;
  writeFileSync(join(folder, 'bin/npm'), fake, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    const script = [join(ROOT, 'test/run-on-node.mjs'), ...args];
    const child = execFile(process.execPath, script, { cwd: folder, env }, (_error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line.startsWith('==') || line.endsWith('failed'));
      const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');
      resolve({ code: child.exitCode ?? -1, lines, asked });
    });
  });
}

describe('the tests on another version of Node', () => {
  const heading = `== ${process.version} ==`;

  it('are those that the arguments choose, and say how they ended', async () => {
    const passing = await run('22', '-t', 'passes');
    expect(passing).toEqual({ code: 0, lines: [heading, '1 passed, 0 failed'], asked: ['--package=node@22'] });
    expect(await run('22', '-t', 'fails')).toMatchObject({ code: 1, lines: [heading, '0 passed, 1 failed'] });
  });

  it('run on the oldest version that the package allows, and on two newer ones, when none is named', async () => {
    const { code, asked } = await run('-t', 'passes');
    expect({ code, asked }).toEqual({
      code: 0,
      asked: ['--package=node@20.19', '--package=node@22', '--package=node@24'],
    });
  });

  it('fail when npm does not have the version', async () => {
    expect(await run('99')).toMatchObject({ code: 1, lines: [] });
  });
});
