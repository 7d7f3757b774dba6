import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderForEach } from '../support/fresh-folder.ts';

/** `.ci/run` with an npm that ends as each case wants it. */

const CI_RUN = fileURLToPath(new URL('../../.ci/run', import.meta.url));

const folder = folderForEach();

beforeEach(() => {
  mkdirSync(folder('.ci'));
  cpSync(CI_RUN, folder('.ci/run'));
});

interface Commands {
  readonly install?: number;
  readonly check?: number;
  readonly test: readonly [code: number, prints: string];
  readonly postgres?: number;
  readonly s3?: number;
  readonly browser?: number;
}

/** What each npm command prints, and its exit code; returns the exit code and the last line of the whole. */
async function run(npm: Commands): Promise<readonly [code: number, last: string]> {
  const [code, prints] = npm.test;
  const fake = `#!/bin/sh
    case "$*" in
      ci*) exit ${String(npm.install ?? 0)} ;;
      'run check') exit ${String(npm.check ?? 0)} ;;
      'run test:all') test "$TEST_START_UNTIL" -gt "$(date +%s)000" || exit 98; printf '%s\\n' '${prints}'; exit ${String(code)} ;;
      'run -s test:postgres') exit ${String(npm.postgres ?? 0)} ;;
      'run -s test:s3') echo '48 passed, 0 failed'; exit ${String(npm.s3 ?? 0)} ;;
      'run -s test:browser') exit ${String(npm.browser ?? 0)} ;;
      *) exit 99 ;;
    esac`;
  writeFileSync(folder('npm'), fake, { mode: 0o755 });
  // What is printed may come late to the log.
  writeFileSync(folder('tee'), '#!/bin/sh\nsleep 0.1\nPATH=${PATH#*:} exec tee "$@"\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder()}${delimiter}${process.env['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    const child = execFile(folder('.ci/run'), { env }, (_error, stdout) => {
      resolve([child.exitCode ?? -1, stdout.trimEnd().split('\n').at(-1) ?? '']);
    });
  });
}

describe('.ci/run', () => {
  const GOOD = [0, '12 passed, 0 failed'] as const;
  const BAD = [1, '12 passed, 3 failed'] as const;

  it.each<[string, Commands, readonly [number, string]]>([
    ['passes on the counts of the tests', { test: GOOD }, GOOD],
    ['fails with the tests', { test: BAD }, BAD],
    ['fails where the page was seen by no browser', { browser: 1, test: GOOD }, [1, '12 passed, 1 failed']],
    ['counts a failed check, and tests all the same', { check: 2, test: BAD }, [1, '12 passed, 4 failed']],
    ['counts failed tests on PostgreSQL as one', { test: GOOD, postgres: 1 }, [1, '12 passed, 1 failed']],
    ['counts failed tests on S3, or that there is none, as one', { test: GOOD, s3: 1 }, [1, '12 passed, 1 failed']],
    ['fails when the tests end without a count', { test: [2, 'the build failed'] }, [1, '0 passed, 1 failed']],
    ['fails when no test ran', { test: [0, '0 passed, 0 failed'] }, [1, '0 passed, 0 failed']],
    ['stops when the packages cannot be installed', { install: 1, test: GOOD }, [1, '0 passed, 1 failed']],
  ])('%s', async (_, npm, end) => {
    expect(await run(npm)).toEqual(end);
  });
});
