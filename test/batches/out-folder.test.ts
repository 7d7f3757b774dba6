import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimOut, probeOut } from '../../batches/out-folder.ts';

const BATCH = { name: 'lines', digest: 'd1', apiUrl: 'https://api.example/api/open/v1', account: 'u1' };
const LEDGER = { id: 'ledger-1', findBatch: () => Promise.resolve(undefined) };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-out-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('makes the folder, and leaves nothing in it', async () => {
  const out = join(folder, 'out', 'lines');
  expect(await probeOut(out)).toEqual({ type: 'writable' });
  expect(await readdir(out)).toEqual([]);
});

it('says why a folder cannot be written', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const out = join(file, 'out');
  expect(await probeOut(out)).toMatchObject({ type: 'unwritable', cause: { code: 'ENOTDIR' } });
  expect(await claimOut(out, BATCH, LEDGER)).toMatchObject({ type: 'unwritable', cause: { code: 'ENOTDIR' } });
});

it('answers at once where no folder can be: Node would try to make one for ever', async () => {
  expect(await probeOut('/proc/voxbatch/out')).toMatchObject({ type: 'unwritable', cause: { code: 'ENOENT' } });
});

it('gives a free folder to the first batch that claims it', async () => {
  const out = join(folder, 'out');
  expect(await claimOut(out, BATCH, LEDGER)).toEqual({ type: 'own' });
  expect(await claimOut(out, BATCH, LEDGER)).toEqual({ type: 'own' });
  expect(await claimOut(out, { ...BATCH, name: 'other' }, LEDGER)).toMatchObject({ type: 'taken' });
});
