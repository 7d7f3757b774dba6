/** @slow */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';
import { claimFolder } from '../../../store/owner-file.ts';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { placeAtSimulator } from '../place-for-each.ts';

/** What commands do where the store of the ledger has gone: nothing is paid for anew, and no other store begins. */

const invocation = placeAtSimulator({
  atEnd: () => {
    expect(invocation.simulator.ledger()).toEqual([]);
    return Promise.resolve();
  },
});
const { place } = invocation;
beforeEach(async () => {
  await addSampleBatch(place);
  await rm(place.store.folder, { recursive: true });
  await writeFile('new.csv', 'id,text,voice\nx,Hello,voice-1\n');
});

const REFUSED =
  /The store of ledger .* is not in .*store.*Nothing was spent\..*lost for good.*: voxbatch redrive demo --damaged --new-store/;

it('run refuses before anything is recorded, until a person says that the files are lost', async () => {
  const { line } = invocation;
  const refused = await line.run('run', 'new.csv', '--detach');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(REFUSED);
  expect(await place.ledger.findBatch('new')).toBeUndefined();
  expect(existsSync(place.store.folder)).toBe(false);
  await line.run('redrive', 'demo', '--damaged', '--new-store');
  const declined = await line.run('run', 'new.csv', '--detach', '--confirm', '0');
  expect(declined.stderr).toContain('--yes');
  expect(declined.stderr).not.toMatch(REFUSED);
});

it.each([
  [['redrive', 'demo', '--damaged']],
  [['clean', 'demo', '--media', '--dry-run']],
  [['cache', 'prune', '--older-than', '1d', '--dry-run']],
])('%j refuses in the same words', async (words) => {
  const refused = await invocation.line.run(...words);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(REFUSED);
  expect(existsSync(place.store.folder)).toBe(false);
});

it('plan says that run refuses it, and so it does where the ledger was deleted beside its store', async () => {
  const { line } = invocation;
  const gone = await line.run('plan', 'new.csv');
  expect(gone).toMatchObject({ code: 0, stderr: expect.stringMatching(/run refuses this \(exit code 2\)/) });
  expect(gone.stderr).toMatch(REFUSED);
  expect(gone.stderr).not.toContain('To run it');
  await mkdir(place.store.folder);
  await claimFolder(place.store.folder, place.ledger.id);
  expect((await line.run('plan', 'new.csv')).stderr).toContain('To run it: voxbatch run new.csv\n');
  process.env['VOXBATCH_LEDGER'] = 'deleted.db';
  const anew = /belong to another ledger than .*deleted\.db\..*restore it from a backup.*another store pays again/;
  const planned = await line.run('plan', 'new.csv');
  expect(planned.stderr).toMatch(anew);
  expect(planned.stderr).not.toContain('To run it');
  expect(existsSync('deleted.db')).toBe(false);
  const run = await line.run('run', 'new.csv', '--detach');
  expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(anew) });
});

it.each([
  [['results', 'demo']],
  [['verify', 'demo']],
  [['status', 'demo']],
  [['explain', 'a', 'demo']],
  [['cache', 'show', 'a', 'demo']],
  [['cache', 'list']],
])('%j makes no store', async (words) => {
  await invocation.line.run(...words);
  expect(existsSync(place.store.folder)).toBe(false);
});
