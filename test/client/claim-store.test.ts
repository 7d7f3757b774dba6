import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimStore } from '../../client/claim-store.ts';

const [ONE, OTHER] = [
  { id: 'ledger-1', place: '/one/ledger.db' },
  { id: 'ledger-2', place: '/other/ledger.db' },
];

let folder: string;
let store: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-store-'));
  store = join(folder, 'store');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
