import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { freshFolder } from '../support/fresh-folder.ts';
import { followWalk } from '../support/guide-walk.ts';
import { replayFolder } from '../support/replay-folder.ts';

const ROWS = 8;
const WALK = { page: 'docs/guide/schedules.md', heading: 'From an empty folder', end: 'kill %1 %2' };

it('the walk of the guide to schedules leads from an empty folder to a schedule that has run twice, the second time for one changed row', async () => {
  const folder = freshFolder();
  const { stdout, stderr, paid } = await followWalk(folder, WALK);
  expect({ ended: stdout.match(/^ok .* ended, exit code 0/gm)?.length, stdout, stderr }).toMatchObject({
    ended: 2,
  });
  expect(paid).toHaveLength(ROWS + 1);
  const out = join(folder, 'catalogue', 'out');
  const batches = (await readdir(out)).sort();
  expect(batches).toHaveLength(2);
  const outcomes = await Promise.all(
    batches.map(async (batch) => {
      const lines = (await readFile(join(out, batch, 'results.jsonl'), 'utf8')).trim().split('\n');
      return lines.map((line) => (JSON.parse(line) as { readonly _outcome: string })._outcome);
    }),
  );
  expect(outcomes).toEqual([
    Array.from({ length: ROWS }, () => 'succeeded'),
    ['succeeded', ...Array.from({ length: ROWS - 1 }, () => 'cached')],
  ]);
  expect(await replayFolder(folder)).toBeGreaterThan(0);
});
