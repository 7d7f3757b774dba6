import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimOut, probeOut, ownershipOf } from '../../batches/out-folder.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const BATCH = { name: 'lines', digest: 'd1', apiUrl: 'https://api.example/api/open/v1', account: 'u1' };
// A folder is claimed once its batch is on record.
const LEDGER = {
  id: 'ledger-1',
  findBatch: (name: string) => Promise.resolve({ ...BATCH, name, state: 'open' } as BatchRecord),
};

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

it('makes the folder, and leaves nothing in it', async () => {
  const out = join(folder, 'out', 'lines');
  expect(await probeOut(out, 'lines')).toEqual({ type: 'writable' });
  expect(await readdir(out)).toEqual([]);
});

it('says why a folder cannot be written', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const out = join(file, 'out');
  expect(await probeOut(out, 'lines')).toMatchObject({ type: 'unwritable', cause: { code: 'ENOTDIR' } });
  expect(await claimOut(out, BATCH, LEDGER)).toMatchObject({ type: 'unwritable', cause: { code: 'ENOTDIR' } });
});

it('answers at once where no folder can be: Node would try to make one for ever', async () => {
  expect(await probeOut('/proc/voxbatch/out', 'lines')).toMatchObject({
    type: 'unwritable',
    cause: { code: 'ENOENT' },
  });
});

it('gives a free folder to the first batch that claims it', async () => {
  const out = join(folder, 'out');
  expect(await claimOut(out, BATCH, LEDGER)).toEqual({ type: 'own' });
  expect(await claimOut(out, BATCH, LEDGER)).toEqual({ type: 'own' });
  expect(await claimOut(out, { ...BATCH, name: 'other' }, LEDGER)).toMatchObject({ type: 'taken' });
});

describe('a symbolic link', () => {
  const before = process.cwd();
  beforeEach(async () => {
    folder = await realpath(folder);
    process.chdir(folder);
    await mkdir('victim');
  });
  afterEach(() => {
    process.chdir(before);
  });

  it.each(['out', 'out/lines'])('is refused at %s, which nobody names, and nothing is made behind it', async (name) => {
    const link = join(folder, name);
    await mkdir(join(link, '..'), { recursive: true });
    await symlink(join(folder, 'victim'), link);
    const out = join(folder, 'out/lines');
    const linked = { type: 'linked', path: link };
    expect(await probeOut(out, 'lines')).toEqual(linked);
    expect(await ownershipOf(out, BATCH, LEDGER)).toEqual(linked);
    expect(await claimOut(out, BATCH, LEDGER)).toEqual(linked);
    expect(await readdir('victim')).toEqual([]);
  });

  it('is refused as the folder of an occurrence, which is in one that its schedule names', async () => {
    const name = 'nightly.2026-12-01T02-00-00Z';
    await mkdir('there');
    await symlink(join(folder, 'victim'), join(folder, 'there', name));
    const path = join(folder, 'there', name);
    expect(await claimOut(path, { ...BATCH, name }, LEDGER)).toEqual({ type: 'linked', path });
    expect(await readdir('victim')).toEqual([]);
  });

  it('is taken where the user names it, and above that', async () => {
    await symlink(join(folder, 'victim'), join(folder, 'mine'));
    expect(await claimOut(join(folder, 'mine'), BATCH, LEDGER)).toEqual({ type: 'own' });
    expect(await claimOut(join(folder, 'mine/below'), BATCH, LEDGER)).toEqual({ type: 'own' });
  });
});
