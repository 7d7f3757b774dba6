import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const { PROMISES } = (await import(new URL('../promises.mjs', import.meta.url).href)) as {
  readonly PROMISES: Readonly<Record<string, string>>;
};
const { chooseTests } = (await import(new URL('../choose-tests.mjs', import.meta.url).href)) as {
  readonly chooseTests: (args: readonly string[]) => { readonly chosen: readonly [string] };
};
const LIVE = fileURLToPath(new URL('../live', import.meta.url));

/** A world replays all histories when it is closed; the others do it themselves. The runner finds what is not closed. */
const REPLAYING =
  /from '\.\.\/support\/(live-world|cluster|worker-versions|schedule-world|small-batch|replay-folder|replay-histories)\.ts'/;

/** Files that start no batch: they have no history, or one of a workflow that is not ours. The image's batch is another user's. */
const WITHOUT_BATCH = ['embedded-join.test.ts', 'image.test.ts', 'install.test.ts'];

it('every live file replays the histories of the batches that it starts', () => {
  const files = readdirSync(LIVE).filter((name) => name.endsWith('.test.ts'));
  expect(files.filter((name) => !REPLAYING.test(readFileSync(join(LIVE, name), 'utf8')))).toEqual(WITHOUT_BATCH);
});

it('npm test runs the live files that show a promise, and no others', () => {
  const [pattern] = chooseTests([]).chosen;
  const usual = new RegExp(pattern.replace('--testPathPatterns=', ''));
  const chosen = readdirSync(LIVE).filter((name) => usual.test(`test/live/${name}`) && usual.test(join(LIVE, name)));
  expect(chosen).toEqual(
    Object.keys(PROMISES)
      .map((name) => `${name}.test.ts`)
      .toSorted(),
  );
  expect([usual.test('test/ledger/live.test.ts'), usual.test(join(LIVE, 'none.test.ts'))]).toEqual([true, false]);
});
