/** @slow */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpilledList } from '../../results/spilled-list.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-list-'));
});
afterEach(async () => rm(folder, { recursive: true }));

it.each([0, 3, 20_000])('gives back %d items in their order, and leaves nothing behind', async (count) => {
  const list = new SpilledList<{ readonly row: number; readonly name: string }>(folder);
  for (let row = 1; row <= count; row++) await list.add({ row, name: `línea\n${row} of them` });
  let row = 0;
  for await (const item of list.items()) expect(item).toEqual({ row: ++row, name: `línea\n${row} of them` });
  expect(row).toBe(count);
  expect(await readdir(folder)).toHaveLength(count > 1_000 ? 1 : 0);
  await list.remove();
  expect(await readdir(folder)).toEqual([]);
});
