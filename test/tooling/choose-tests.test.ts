/** @slow */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freshFolder } from '../support/fresh-folder.ts';

/** Which tests the runner takes for its first argument, in a small project under git. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHOOSER = pathToFileURL(join(ROOT, 'test/choose-tests.mjs')).href;
const CONFIG = `
export default {
  projects: [
    { displayName: 'unit', cacheDirectory: '<rootDir>/.jest', testMatch: ['<rootDir>/test/**/*.test.ts'], testPathIgnorePatterns: ['/live/'] },
    { displayName: 'live', cacheDirectory: '<rootDir>/.jest', testMatch: ['<rootDir>/test/live/*.test.ts'] },
  ],
};`;
const FILES = {
  'package.json': '{ "type": "module" }',
  'jest.config.mjs': CONFIG,
  '.gitignore': 'node_modules\n.jest',
  'GUIDE.md': '',
  'api/ask.ts': 'export const ask = 1;',
  'api/deep.ts': "export * from './ask.ts';",
  'policy/rate.ts': 'export const rate = 1;',
  'test/ask.test.ts': "import '../api/deep.ts';",
  'test/rate.test.ts': "/** @slow */\nimport '../policy/rate.ts';",
  'test/guide.test.ts': "readFileSync('GUIDE.md');",
  'test/support/world.ts': 'export const world = 1;',
  'test/live/kill.test.ts': "import '../support/world.ts';",
  'test/live/build.test.ts': '',
};

let folder: string;
let start: string;

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function git(...args: readonly string[]): string {
  const whoever = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
  return execFileSync('git', [...whoever, ...args], { cwd: folder, encoding: 'utf8' });
}

/** The tests that are chosen, and those projects they are of. */
function choose(...args: readonly string[]): {
  readonly tests: readonly string[];
  readonly projects: readonly string[];
} {
  const script = `import { chooseTests } from '${CHOOSER}'; console.log(JSON.stringify(chooseTests(process.argv.slice(1))));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, '--', ...args], { cwd: folder });
  const { chosen, projects, isNothing } = JSON.parse(said.toString('utf8')) as {
    readonly chosen: readonly string[];
    readonly projects: readonly string[];
    readonly isNothing: boolean;
  };
  const tests = chosen.slice(chosen.indexOf('--runTestsByPath') + 1).toSorted();
  expect(isNothing).toBe(tests.length === 0);
  return { tests, projects };
}

beforeAll(() => {
  folder = freshFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(FILES)) write(name, text);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'all');
  start = git('rev-parse', 'HEAD').trim();
});

beforeEach(() => {
  git('reset', '-q', '--hard', start);
  git('clean', '-q', '-f', '-d');
});

describe('the tests that are chosen', () => {
  it('quickly are the unit tests that are not marked as slow', () => {
    expect(choose('--quick')).toEqual({ tests: ['test/ask.test.ts', 'test/guide.test.ts'], projects: ['unit'] });
  });

  it('for a change are the unit tests that import it, also through others, and those that name what is no source', () => {
    expect(choose('--changed')).toEqual({ tests: [], projects: ['unit'] });
    write('api/ask.ts', 'export const ask = 2;');
    expect(choose('--changed').tests).toEqual(['test/ask.test.ts']);
    write('GUIDE.md', 'Read me.');
    expect(choose('--changed').tests).toEqual(['test/ask.test.ts', 'test/guide.test.ts']);
  });

  it('for a change of the product are all live tests, else those that import what was changed', () => {
    write('test/support/world.ts', 'export const world = 2;');
    expect(choose('--changed-live')).toEqual({ tests: ['test/live/kill.test.ts'], projects: ['live'] });
    write('policy/rate.ts', 'export const rate = 2;');
    expect(choose('--changed-live').tests).toEqual(['test/live/build.test.ts', 'test/live/kill.test.ts']);
  });

  it('for what was renamed or deleted are those that know it by its new name or still name the old one', () => {
    git('mv', 'api/ask.ts', 'api/request.ts');
    write('api/deep.ts', "export * from './request.ts';");
    expect(choose('--changed').tests).toEqual(['test/ask.test.ts']);
    git('mv', 'GUIDE.md', 'HANDBOOK.md');
    expect(choose('--changed').tests).toEqual(['test/ask.test.ts', 'test/guide.test.ts']);
    git('rm', '-q', 'policy/rate.ts');
    expect(choose('--changed').tests).toEqual(['test/ask.test.ts', 'test/guide.test.ts', 'test/rate.test.ts']);
    git('commit', '-q', '-m', 'names');
    expect(choose('--changed', '--since=HEAD~1').tests).toHaveLength(3);
  });
});
