/** @slow */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';
import { claimFolder, claimFolderId } from '../../../store/owner-file.ts';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { expectRun, json, placeAtSimulator, run } from '../command-line.ts';

/** What commands do where the store of the ledger has gone: nothing is paid for anew, and no other store begins. */

const { place } = placeAtSimulator();
beforeEach(async () => {
  await addSampleBatch(place);
  await rm(place.store.folder, { recursive: true });
  await writeFile('new.csv', 'id,text,voice\nx,Hello,voice-1\n');
});

const REFUSED =
  /The store of ledger .* is not in .*store.*Nothing was spent\..*lost for good.*: voxbatch redrive demo --damaged --new-store/;

it('run refuses before anything is recorded, until a person says that the files are lost', async () => {
  await expectRun('run new.csv --detach', 2, { out: '', err: REFUSED });
  expect(await place.ledger.findBatch('new')).toBeUndefined();
  expect(existsSync(place.store.folder)).toBe(false);
  await run('redrive demo --damaged --new-store');
  await expectRun('run new.csv --detach --confirm 0', 3, { err: '--yes', not: REFUSED });
});

it.each(['redrive demo --damaged', 'clean demo --media --dry-run', 'cache prune --older-than 1d --dry-run'])(
  '%s refuses in the same words',
  async (line) => {
    await expectRun(line, 2, REFUSED);
    expect(existsSync(place.store.folder)).toBe(false);
  },
);

it('plan says that run refuses it, and so it does where the ledger was deleted beside its store', async () => {
  await expectRun('plan new.csv', 0, { err: [/run refuses this \(exit code 2\)/, REFUSED], not: 'To run it' });
  const { value } = await json('plan new.csv');
  expect(value).toMatchObject({ run: 'refuse', refusal: expect.stringMatching(REFUSED) as unknown });
  await mkdir(place.store.folder);
  await claimFolder(place.store.folder, place.ledger.id);
  await claimFolderId(place.store.folder, 'its-id');
  await expectRun('plan new.csv', 0, 'To run it: voxbatch run new.csv\n');
  process.env['VOXBATCH_LEDGER'] = 'deleted.db';
  const anew = /belong to another ledger than .*deleted\.db\..*restore it from a backup.*another store pays again/;
  await expectRun('plan new.csv', 0, { err: anew, not: 'To run it' });
  expect(existsSync('deleted.db')).toBe(false);
  await expectRun('run new.csv --detach', 2, anew);
});

it('whoever looks makes no store', async () => {
  for (const line of [
    'results demo',
    'verify demo',
    'status demo',
    'explain a demo',
    'cache show a demo',
    'cache list',
  ])
    await run(line);
  expect(existsSync(place.store.folder)).toBe(false);
});
