import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beginStore, claimStore } from '../../client/claim-store.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const [ONE, OTHER] = [
  { id: 'ledger-1', place: '/one/ledger.db', findStoredFile: () => Promise.resolve(undefined) },
  { id: 'ledger-2', place: '/other/ledger.db', findStoredFile: () => Promise.resolve(undefined) },
];
/** A ledger that has stored files. */
const STORED = {
  ...ONE,
  findStoredFile: () => Promise.resolve({ batch: 'lines', key: 'lines-0a1b/0000/1-speech-1.mp3' }),
};

let folder: string;
let store: string;

beforeEach(() => {
  folder = freshFolder();
  store = join(folder, 'store');
});

/** All that is in the folder of the store, and it. */
async function listed(): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

describe('claimStore', () => {
  it('makes a store, and opens it again for the same ledger', async () => {
    for (let times = 0; times < 2; times += 1) await claimStore({ store, env: {} }, ONE);
    expect(await readdir(store)).toEqual(['.ledger']);
  });

  it('refuses the store of another ledger, and changes nothing in it', async () => {
    await claimStore({ store, env: {} }, ONE);
    await expect(claimStore({ store, env: {} }, OTHER)).rejects.toMatchObject({
      problem: { type: 'store-of-another', store, ledger: '/other/ledger.db' },
    });
    expect(await readFile(join(store, '.ledger'), 'utf8')).toBe('ledger-1');
  });

  it.each([
    ['missing', () => Promise.resolve()],
    ['empty', () => mkdir(store)],
    ['one with the store nested in it', () => mkdir(join(store, 'store/lines-0a1b/0000'), { recursive: true })],
  ])('refuses a folder that is %s where a store was used before, and makes nothing', async (_, make) => {
    await make();
    const before = await listed();
    await expect(claimStore({ store, env: {} }, STORED)).rejects.toMatchObject({
      problem: { type: 'store-missing', store, ledger: '/one/ledger.db', batch: 'lines' },
    });
    expect(await listed()).toEqual(before);
  });

  it('takes a store of an earlier version, which says nowhere whose it is', async () => {
    await mkdir(join(store, 'lines-0a1b/0000'), { recursive: true });
    await claimStore({ store, env: {} }, STORED);
    expect(await readdir(store)).toEqual(['.ledger', 'lines-0a1b']);
  });

  it('asks nothing of a ledger whose store is there', async () => {
    await claimStore({ store, env: {} }, ONE);
    const findStoredFile = (): never => {
      throw new Error('asked');
    };
    await claimStore({ store, env: {} }, { ...ONE, findStoredFile });
  });

  it('goes on in an empty store that a person began', async () => {
    await beginStore({ store, env: {} }, STORED);
    await claimStore({ store, env: {} }, STORED);
    expect(await readdir(store)).toEqual(['.ledger']);
  });

  it('is one ledger of several that begin at once', async () => {
    const opened = await Promise.allSettled(
      [ONE, OTHER, ONE, OTHER].map((ledger) => claimStore({ store, env: {} }, ledger)),
    );
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await readdir(store)).toEqual(['.ledger']);
  });

  it('says where it cannot be written', async () => {
    await writeFile(store, 'no folder');
    await expect(claimStore({ store, env: {} }, ONE)).rejects.toMatchObject({ problem: { type: 'machine' } });
  });
});
