/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderForEach } from '../support/fresh-folder.ts';
import { waitFor } from '../support/wait-for.ts';

/** The runner of all tests, run on small projects whose tests pass, fail, or leave something behind. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUNNER = join(ROOT, 'test/run-tests.mjs');
const CONFIG = `
const shared = { transform: {}, testEnvironment: 'node', cacheDirectory: '<rootDir>/cache' };
export default {
  workerGracefulExitTimeout: 10000,
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/unit/*.test.js'] },
    { ...shared, displayName: 'live', testMatch: ['<rootDir>/live/*.test.js'], testEnvironment: '<rootDir>/environment.js' },
  ],
};`;
/** Leaves files out as that of the live tests does, which needs a runtime of its own. */
const ENVIRONMENT = `
import { TestEnvironment } from 'jest-environment-node';
import { skipIfTooLate } from '${join(ROOT, 'test/start-until.mjs')}';
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.path = context.testPath;
  }
  handleTestEvent(event, state) {
    skipIfTooLate(this.path, event, state);
  }
}`;
const PASSING = "it('passes', () => undefined);";

const folder = folderForEach();

beforeEach(() => {
  symlinkSync(join(ROOT, 'node_modules'), folder('node_modules'));
  writeFileSync(folder('package.json'), '{ "type": "module" }');
  writeFileSync(folder('jest.config.mjs'), CONFIG);
  writeFileSync(folder('environment.js'), ENVIRONMENT);
});

/** Runs these test files; returns the exit code, the last line, and what was found wrong. */
async function run(
  tests: { unit?: readonly string[]; live?: readonly string[] },
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; last: string; wrong: readonly string[]; leftOut?: string }> {
  for (const [project, files] of Object.entries(tests)) {
    mkdirSync(folder(project));
    for (const [at, text] of files.entries()) writeFileSync(folder(project, `${String(at)}.test.js`), text);
  }
  const child = spawn(process.execPath, [RUNNER, ...args], {
    cwd: folder(),
    env: { ...process.env, TEST_START_UNTIL: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const wrong = said.stderr.split('\n').filter((line) => line.startsWith('FAILED: '));
  const last = said.stdout.trimEnd().split('\n').at(-1) ?? '';
  const leftOut = /^Not started.*/m.exec(said.stdout)?.[0];
  return { code, last, wrong, ...(leftOut === undefined ? {} : { leftOut }) };
}

/** The command line of a process; empty if it is gone, or a zombie. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('the test runner', () => {
  it('adds up both projects', async () => {
    const result = await run({ unit: [PASSING, PASSING], live: [PASSING] });
    expect(result).toEqual({ code: 0, last: '3 passed, 0 failed', wrong: [] });
  });

  it('counts failed tests and files that do not load, and runs the live tests all the same', async () => {
    const result = await run({ unit: ["it('fails', () => { throw new Error(); });", '}'], live: [PASSING] });
    expect(result).toMatchObject({ code: 1, last: '1 passed, 2 failed' });
    // What failed is told once more at the end, where the rest is output of many tests.
    expect(result.wrong.toSorted()).toEqual([
      expect.stringMatching(/^FAILED: unit\/0.test.js: fails: Error/),
      expect.stringMatching(/^FAILED: unit\/1.test.js: did not run: /),
    ]);
  });

  it('fails when there is no test', async () => {
    expect(await run({})).toEqual({ code: 1, last: '0 passed, 0 failed', wrong: [] });
  });

  it('fails when a test is skipped, unless the caller chose', async () => {
    const tests = { unit: [PASSING, "it.skip('later', () => undefined);"] };
    expect(await run(tests)).toEqual({ code: 1, last: '1 passed, 1 failed', wrong: ['FAILED: 1 tests were skipped'] });
    expect(await run({}, ['-t', 'passes'])).toEqual({ code: 0, last: '1 passed, 0 failed', wrong: [] });
  });

  it('starts no live test beside those of the promises when time is up, says so, and runs all others', async () => {
    const failing =
      "beforeAll(() => { throw new Error(); }); describe('more', () => { it('fails', () => { throw new Error(); }); });";
    const tests = { unit: [PASSING], live: [failing] };
    const late = await run(tests, [], { TEST_START_UNTIL: '1' });
    expect(late).toEqual({
      code: 0,
      last: '1 passed, 0 failed',
      wrong: [],
      leftOut: expect.stringMatching(/up [(]1 of .*: 0$/),
    });
    expect(await run({}, [], { TEST_START_UNTIL: String(Date.now() + 3_600_000) })).toMatchObject({
      code: 1,
      last: '1 passed, 1 failed',
    });
  });

  it('fails when a test leaves a handle open, in a worker or in the main process', async () => {
    const leaking = "it('leaks', () => { setInterval(() => undefined, 60000); });";
    const result = await run({ unit: [leaking, PASSING], live: [leaking] });
    expect(result).toEqual({
      code: 1,
      last: '3 passed, 1 failed',
      wrong: ['FAILED: a test left a handle open; run Jest with --detectOpenHandles to find it'],
    });
  });

  it('fails when a test leaves a file or, on Linux, a process, and ends the process', async () => {
    const leaving = `
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      import { tmpdir } from 'node:os';
      it('leaves', () => {
        writeFileSync(tmpdir() + '/forgotten', '');
        const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 600000)'], { detached: true, stdio: 'ignore' });
        child.unref();
        writeFileSync('pid', String(child.pid));
      });`;
    const result = await run({ live: [leaving] });
    const expected = [
      ...(process.platform === 'linux' ? [expect.stringContaining('a test left a process behind')] : []),
      'FAILED: a test left forgotten in the temporary folder',
    ];
    expect(result).toEqual({ code: 1, last: `1 passed, ${String(expected.length)} failed`, wrong: expected });
    // A busy machine ends a process a while after it was killed.
    await waitFor(() => commandOf(readFileSync(folder('pid'), 'utf8')) === '');
  });
});
