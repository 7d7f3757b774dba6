import { chownSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { openCommandLine, type CommandLine, run } from '../command-line.ts';

/** A home of another user, who can change it, and what it runs, at any time. */

let line: CommandLine;
let simulator: Simulator;
let owner: number;
let user: jest.Mock<() => number>;
beforeEach(async () => {
  simulator = await startSimulator();
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: simulator.token });
  await writeFile('lines.csv', 'text,voice\nHello there.,anna\n');
  await (await openLedger('.voxbatch/ledger.db')).close();
  // What root owns, as a mounted volume, is no other user's.
  if (process.geteuid?.() === 0) chownSync('.voxbatch', 12_345, 12_345);
  owner = statSync('.voxbatch').uid;
  user = jest.spyOn(process, 'geteuid' as never);
});
afterEach(async () => {
  user.mockRestore();
  await line.close();
  expect(simulator.ledger()).toEqual([]);
  await simulator.close();
});

it('cannot be confirmed', async () => {
  user.mockReturnValue(owner + 1);
  const { code, stdout, stderr } = await run('trust');
  expect(code).toBe(2);
  expect(stdout).toContain(`owner: another user (uid ${String(owner)})`);
  expect(stderr).toContain('belongs to another user');
});

it('is refused before anything is written there', async () => {
  user.mockReturnValue(owner + 1);
  const { code, stderr } = await run('run', 'lines.csv', '--yes');
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('belongs to another user') });
  const ledger = await openLedger('.voxbatch/ledger.db');
  expect(await ledger.listBatches()).toEqual([]);
  await ledger.close();
});

it('may be used by root, who is told whose it is', async () => {
  user.mockReturnValue(0);
  const told = owner === 0 ? 'batches: 0' : 'can change it at any time, and what it runs as you';
  expect(await run('trust')).toMatchObject({ code: 0, stdout: expect.stringContaining(told) });
});
