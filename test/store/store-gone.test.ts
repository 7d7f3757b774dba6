import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { isLocalError } from '../../api/local-errors.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import type { KeptFile, Store } from '../../store/store.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { mp3 } from './media.ts';
import { storeIn } from './store-in.ts';

/** A store whose folder goes away while somebody works with it, and comes back. */

const place = folderForEach();
let store: Store;
let file: KeptFile;
beforeEach(async () => {
  store = storeIn(place('store'));
  await store.claim('me');
  file = await store.write('b/1', mp3(20), { family: 'audio' });
});
const leave = (): Promise<void> => rename(place('store'), place('away'));

const uses: readonly [string, () => Promise<unknown>][] = [
  ['stores a file', () => store.write('b/2', mp3(20), { family: 'audio' })],
  ['stores the first file of another batch', () => store.write('c/1', mp3(20), { family: 'audio' })],
  ['looks for a file', () => store.find('b/1', { family: 'audio' })],
  ['uses an earlier result', () => store.reuse(file, 'c/1')],
  ['joins parts', () => store.join([file, file], 'b/3')],
];

describe.each([
  ['is moved away', leave],
  ['leaves an empty folder, as a disk does that is not mounted', () => leave().then(() => mkdir(place('store')))],
])('a store that %s', (_name, go) => {
  it.each(uses)('is not begun anew by who %s, and none of its files is taken for lost', async (_use, use) => {
    await go();
    const using = use();
    await expect(using).rejects.toThrow(StoreUnwritable);
    await expect(using).rejects.toThrow('Bring it back');
    expect(isLocalError(await using.catch((error: unknown) => error))).toBe(true);
    expect(existsSync(place('store', 'b'))).toBe(false);
    await rm(place('store'), { recursive: true, force: true });
    await rename(place('away'), place('store'));
    expect(await use()).not.toMatchObject({ type: 'missing' });
  });
});

it('a store that another took over is not written to', async () => {
  await rm(place('store'), { recursive: true });
  await storeIn(place('store')).claim('other');
  await expect(store.write('b/2', mp3(20), { family: 'audio' })).rejects.toThrow(StoreUnwritable);
});

it('a single file that is gone is missing', async () => {
  await store.remove([file.key]);
  expect(await store.find('b/1', { family: 'audio' })).toBeUndefined();
  expect(await store.reuse(file, 'c/1')).toEqual({ type: 'missing' });
  expect(await store.join([file], 'b/3')).toEqual({ type: 'damaged', at: 0, is: 'missing' });
});
