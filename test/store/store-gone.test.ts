import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isLocalTrouble } from '../../api/local-trouble.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { openFolderStore } from '../../store/folder-store.ts';
import type { KeptFile, Store } from '../../store/store.ts';
import { mp3 } from './media.ts';

/** A store whose folder goes away while somebody works with it, and comes back. */

let place: string;
let folder: string;
let store: Store;
let file: KeptFile;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'voxbatch-gone-'));
  folder = join(place, 'store');
  store = openFolderStore(folder);
  await store.claim('me');
  file = await store.write('b/1', mp3(20), { family: 'audio' });
});
afterEach(async () => {
  await store.close();
  await rm(place, { recursive: true });
});

const uses: readonly [string, () => Promise<unknown>][] = [
  ['stores a file', () => store.write('b/2', mp3(20), { family: 'audio' })],
  ['stores the first file of another batch', () => store.write('c/1', mp3(20), { family: 'audio' })],
  ['looks for a file', () => store.find('b/1', { family: 'audio' })],
  ['uses an earlier result', () => store.reuse(file, 'c/1')],
  ['joins parts', () => store.join([file, file], 'b/3')],
];

describe.each([
  ['is moved away', (): Promise<void> => rename(folder, `${folder}-away`)],
  [
    'leaves an empty folder, as a disk does that is not mounted any more',
    async (): Promise<void> => {
      await rename(folder, `${folder}-away`);
      await mkdir(folder);
    },
  ],
])('a store that %s', (_name, leave) => {
  it.each(uses)('is not begun anew by who %s, and none of its files is taken for lost', async (_use, use) => {
    await leave();
    const using = use();
    await expect(using).rejects.toThrow(StoreUnwritable);
    await expect(using).rejects.toThrow('Bring it back');
    expect(isLocalTrouble(await using.catch((error: unknown) => error))).toBe(true);
    expect(existsSync(join(folder, 'b'))).toBe(false);
    await rm(folder, { recursive: true, force: true });
    await rename(`${folder}-away`, folder);
    expect(await use()).not.toMatchObject({ type: 'missing' });
  });
});

it('a store that another took over is not written to', async () => {
  await rm(folder, { recursive: true });
  const other = openFolderStore(folder);
  await other.claim('other');
  await expect(store.write('b/2', mp3(20), { family: 'audio' })).rejects.toThrow(StoreUnwritable);
  await other.close();
});

it('a single file that is gone is missing', async () => {
  await store.remove([file.key]);
  expect(await store.find('b/1', { family: 'audio' })).toBeUndefined();
  expect(await store.reuse(file, 'c/1')).toEqual({ type: 'missing' });
  expect(await store.join([file], 'b/3')).toEqual({ type: 'damaged', at: 0, is: 'missing' });
});
