import { chownSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { beforeEach, expect, it, jest } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { expectRun, lineAtSimulator } from '../command-line.ts';

/** A home of another user, who can change it, and what it runs, at any time. */

lineAtSimulator();
let owner: number;
let user: jest.Mock<() => number>;
beforeEach(async () => {
  await writeFile('lines.csv', 'text,voice\nHello there.,anna\n');
  await (await openLedger('.voxbatch/ledger.db')).close();
  // What root owns, as a mounted volume, is no other user's.
  if (process.geteuid?.() === 0) chownSync('.voxbatch', 12_345, 12_345);
  owner = statSync('.voxbatch').uid;
  user = jest.spyOn(process, 'geteuid' as never);
});

it('cannot be confirmed', async () => {
  user.mockReturnValue(owner + 1);
  const out = `owner: another user (uid ${String(owner)})`;
  await expectRun('trust', 2, { out, err: 'belongs to another user' });
});

it('is refused before anything is written there', async () => {
  user.mockReturnValue(owner + 1);
  await expectRun('run lines.csv --yes', 4, 'belongs to another user');
  const ledger = await openLedger('.voxbatch/ledger.db');
  expect(await ledger.listBatches()).toEqual([]);
  await ledger.close();
});

it('may be used by root, who is told whose it is', async () => {
  user.mockReturnValue(0);
  const out = owner === 0 ? 'batches: 0' : 'can change it at any time, and what it runs as you';
  await expectRun('trust', 0, { out });
});
