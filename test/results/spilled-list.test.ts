import { expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { SpilledList } from '../../results/stale-media.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();

it.each([0, 3, 20_000])('gives back %d items in their order, and leaves nothing behind', async (count) => {
  const items = Array.from({ length: count }, (_, at) => ({ row: at + 1, name: `línea\n${at + 1} of them` }));
  const list = new SpilledList<(typeof items)[number]>(folder());
  for (const item of items) await list.add(item);
  const back: unknown[] = [];
  for await (const item of list.items()) back.push(item);
  expect(back).toEqual(items);
  expect(await readdir(folder())).toHaveLength(count > 1_000 ? 1 : 0);
  await list.remove();
  expect(await readdir(folder())).toEqual([]);
});
