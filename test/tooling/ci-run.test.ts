import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshFolder } from '../support/fresh-folder.ts';

/** `.ci/run` with an npm that ends as each case wants it. */

const CI_RUN = fileURLToPath(new URL('../../.ci/run', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = freshFolder();
  mkdirSync(join(folder, '.ci'));
  cpSync(CI_RUN, join(folder, '.ci/run'));
});

/** What each npm command prints, and its exit code; returns the exit code and the last line of the whole. */
async function run(npm: {
  readonly install?: number;
  readonly check?: number;
  readonly test: { readonly code: number; readonly prints: string };
  readonly postgres?: number;
  readonly s3?: number;
  readonly browser?: number;
}): Promise<{ code: number; last: string }> {
  const fake = `#!/bin/sh
    case "$*" in
      ci*) exit ${String(npm.install ?? 0)} ;;
      'run check') exit ${String(npm.check ?? 0)} ;;
      'run test:all') printf '%s\\n' '${npm.test.prints}'; exit ${String(npm.test.code)} ;;
      'run -s test:postgres') exit ${String(npm.postgres ?? 0)} ;;
      'run -s test:s3') exit ${String(npm.s3 ?? 0)} ;;
      'run -s test:browser') exit ${String(npm.browser ?? 0)} ;;
      *) exit 99 ;;
    esac`;
  writeFileSync(join(folder, 'npm'), fake, { mode: 0o755 });
  // What is printed may come late to the log.
  writeFileSync(join(folder, 'tee'), '#!/bin/sh\nsleep 0.1\nPATH=${PATH#*:} exec tee "$@"\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    const child = execFile(join(folder, '.ci/run'), { env }, (_error, stdout) => {
      resolve({ code: child.exitCode ?? -1, last: stdout.trimEnd().split('\n').at(-1) ?? '' });
    });
  });
}

describe('.ci/run', () => {
  it('passes on the counts of the tests', async () => {
    const result = await run({ test: { code: 0, prints: '12 passed, 0 failed' } });
    expect(result).toEqual({ code: 0, last: '12 passed, 0 failed' });
  });

  it('fails with the tests', async () => {
    const result = await run({ test: { code: 1, prints: '12 passed, 3 failed' } });
    expect(result).toEqual({ code: 1, last: '12 passed, 3 failed' });
  });

  it('fails where the page was seen by no browser', async () => {
    const result = await run({ browser: 1, test: { code: 0, prints: '12 passed, 0 failed' } });
    expect(result).toEqual({ code: 1, last: '12 passed, 1 failed' });
  });

  it('counts a failed check, and tests all the same', async () => {
    const result = await run({ check: 2, test: { code: 1, prints: '12 passed, 3 failed' } });
    expect(result).toEqual({ code: 1, last: '12 passed, 4 failed' });
  });

  it('counts failed tests on PostgreSQL as one', async () => {
    const result = await run({ test: { code: 0, prints: '12 passed, 0 failed' }, postgres: 1 });
    expect(result).toEqual({ code: 1, last: '12 passed, 1 failed' });
  });

  it('counts failed tests on an S3 server, or that there is none, as one', async () => {
    const result = await run({ test: { code: 0, prints: '12 passed, 0 failed' }, s3: 1 });
    expect(result).toEqual({ code: 1, last: '12 passed, 1 failed' });
  });

  it('fails when the tests end without a count', async () => {
    const result = await run({ test: { code: 2, prints: 'the build failed' } });
    expect(result).toEqual({ code: 1, last: '0 passed, 1 failed' });
  });

  it('fails when no test ran, even if nothing failed', async () => {
    const result = await run({ test: { code: 0, prints: '0 passed, 0 failed' } });
    expect(result).toEqual({ code: 1, last: '0 passed, 0 failed' });
  });

  it('stops when the packages cannot be installed', async () => {
    const result = await run({ install: 1, test: { code: 0, prints: '12 passed, 0 failed' } });
    expect(result).toEqual({ code: 1, last: '0 passed, 1 failed' });
  });
});
