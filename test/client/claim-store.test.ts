import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beginStore, claimStore, requireStore } from '../../client/claim-store.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { storingLedger } from '../support/storing-ledger.ts';
import { serve } from '../support/api-server.ts';

type TestLedger = ReturnType<typeof storingLedger>;
let ONE: TestLedger;
let OTHER: TestLedger;
/** A ledger that has stored files. */
let STORED: TestLedger;

const folder = folderForEach();
let store: string;

beforeEach(() => {
  ONE = storingLedger('ledger-1', '/one/ledger.db');
  OTHER = storingLedger('ledger-2', '/other/ledger.db');
  STORED = storingLedger('ledger-1', '/one/ledger.db', { batch: 'lines', key: 'lines-0a1b/0000/1-speech-1.mp3' });
  store = folder('store');
});

/** An S3 server that has nothing. */
async function emptyBucket(): Promise<string> {
  const server = await serve(({ url }, answer) => {
    const isList = url.includes('list-type');
    answer.statusCode = isList ? 200 : 404;
    answer.end(isList ? '<ListBucketResult></ListBucketResult>' : '<Error><Code>NoSuchKey</Code></Error>');
  });
  return server.origin;
}

/** All that is in the folder of the store, and it. */
const listed = async (): Promise<string[]> => (await readdir(folder(), { recursive: true })).sort();

describe('claimStore', () => {
  it('makes a store, and opens it again for the same ledger', async () => {
    for (let times = 0; times < 2; times += 1) await claimStore({ store, env: {} }, ONE);
    expect(await readdir(store)).toEqual(['.ledger', '.store']);
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
    expect(await readdir(store)).toEqual(['.ledger', '.store', 'lines-0a1b']);
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
    expect(await readdir(store)).toEqual(['.ledger', '.store']);
  });

  it.each(['before', 'after'])('is opened where another worker claims it just %s the ledger is asked', async (when) => {
    const asked = async (): Promise<string | undefined> => {
      const before = await ONE.storeId();
      await claimStore({ store, env: {} }, ONE);
      return when === 'before' ? ONE.storeId() : before;
    };
    await claimStore({ store, env: {} }, { ...ONE, storeId: asked });
  });

  it('is one ledger of several that begin at once', async () => {
    const opened = await Promise.allSettled(
      [ONE, OTHER, ONE, OTHER].map((ledger) => claimStore({ store, env: {} }, ledger)),
    );
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await readdir(store)).toEqual(['.ledger', '.store']);
  });

  describe('with a second store', () => {
    const refused = { problem: { type: 'other-store', ledger: '/one/ledger.db' } };
    const second = (): string => folder('store-2');

    it('refuses it before there is any file, and makes nothing there', async () => {
      await claimStore({ store, env: {} }, ONE);
      await expect(claimStore({ store: second(), env: {} }, ONE)).rejects.toMatchObject(refused);
      expect(await readdir(folder())).toEqual(['store']);
      await claimStore({ store, env: {} }, ONE);
    });

    it('lets one win of those that begin at once, and refuses the other ever after', async () => {
      const places = [store, second()];
      const begin = (): Promise<PromiseSettledResult<unknown>[]> =>
        Promise.allSettled(places.map((place) => claimStore({ store: place, env: {} }, ONE)));
      const first = await begin();
      expect(first.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(first.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused });
      expect((await begin()).map(({ status }) => status)).toEqual(first.map(({ status }) => status));
    });

    it('adopts one without an id where files on record are, and refuses what else has the former mark', async () => {
      for (const place of [store, second()]) {
        await mkdir(place);
        await writeFile(join(place, '.ledger'), 'ledger-1');
      }
      await mkdir(join(store, 'lines-0a1b/0000'), { recursive: true });
      await expect(claimStore({ store: second(), env: {} }, STORED)).rejects.toMatchObject({
        problem: { type: 'store-missing' },
      });
      await claimStore({ store, env: {} }, STORED);
      await mkdir(join(second(), 'lines-0a1b/0000'), { recursive: true });
      await expect(claimStore({ store: second(), env: {} }, STORED)).rejects.toMatchObject(refused);
    });

    it('knows its own after the marks were lost, by its files', async () => {
      await beginStore({ store, env: {} }, STORED);
      await mkdir(join(store, 'lines-0a1b/0000'), { recursive: true });
      const id = await readFile(join(store, '.store'), 'utf8');
      for (const name of ['.ledger', '.store']) await rm(join(store, name));
      await claimStore({ store, env: {} }, STORED);
      expect(await readFile(join(store, '.store'), 'utf8')).toBe(id);
    });

    it.each([
      ['a bucket', 's3://media/other', '/one/ledger.db'],
      ['a folder that only this machine has', '/no/such/store', 'postgres://database/voxbatch'],
    ])('refuses %s without marks, where the ledger has files in the store that it recorded', async (_, other, at) => {
      await beginStore({ store, env: {} }, STORED);
      const keys = { AWS_REGION: 'x', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
      const env = { ...keys, AWS_ENDPOINT_URL_S3: await emptyBucket() };
      await expect(requireStore({ store: other, env }, { ...STORED, place: at })).rejects.toMatchObject({
        problem: { type: 'other-store', store: other, ledger: at },
      });
    });

    it('takes it once a person began it, and then refuses the first one', async () => {
      await claimStore({ store, env: {} }, ONE);
      await beginStore({ store: second(), env: {} }, ONE);
      await claimStore({ store: second(), env: {} }, ONE);
      await expect(claimStore({ store, env: {} }, ONE)).rejects.toMatchObject(refused);
    });
  });

  it('says where it cannot be written', async () => {
    await writeFile(store, 'no folder');
    await expect(claimStore({ store, env: {} }, ONE)).rejects.toMatchObject({ problem: { type: 'machine' } });
  });
});
