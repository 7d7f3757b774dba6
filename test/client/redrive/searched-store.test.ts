import { beforeEach, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { claimStore, searchedStore } from '../../../client/claim-store.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { storingLedger } from '../../support/storing-ledger.ts';

type TestLedger = ReturnType<typeof storingLedger>;
let LEDGER: TestLedger;
let OTHER: TestLedger;

const folder = folderForEach();

beforeEach(() => {
  LEDGER = storingLedger('ledger-1', '/one/ledger.db');
  OTHER = storingLedger('ledger-2', '/other/ledger.db');
});

const search = (store = folder('store')): Promise<void> =>
  searchedStore({ store, env: {} }, LEDGER, { name: 'demo' }).requireOwn();

it('may find files lost in the store that the ledger claimed', async () => {
  await claimStore({ store: folder('store'), env: {} }, LEDGER);
  await expect(search()).resolves.toBeUndefined();
});

it('refuses the store of another ledger', async () => {
  await claimStore({ store: folder('store'), env: {} }, OTHER);
  await expect(search()).rejects.toMatchObject({ problem: { type: 'store-of-another', ledger: LEDGER.place } });
});

it('refuses another store than that of the ledger', async () => {
  await claimStore({ store: folder('store'), env: {} }, LEDGER);
  await LEDGER.replaceStore('another');
  await expect(search()).rejects.toMatchObject({ problem: { type: 'other-store', ledger: LEDGER.place } });
});

it('refuses a folder that is not there, and one that nobody claimed, and makes nothing', async () => {
  const problem = { type: 'store-missing', ledger: LEDGER.place, batch: 'demo' };
  await expect(search()).rejects.toMatchObject({ problem });
  await expect(search(folder())).rejects.toMatchObject({ problem });
  expect(await readdir(folder())).toEqual([]);
});
