/** @slow */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Ledger } from '../../ledger/ledger.ts';
import { openTestLedger } from '../support/open-test-ledger.ts';
import { fill } from './setup.ts';
import { transpile } from './transpile.ts';
import { freshFolder } from '../support/fresh-folder.ts';

interface Hammer {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string>;
}

let code: Awaited<ReturnType<typeof transpile>>;

beforeAll(async () => {
  code = await transpile('hammer');
});
afterAll(() => code.remove());

function start(ledgerPath: string, owner: string, rows: number, atOnce: number): Hammer {
  const args = [join(code.folder, 'test', 'ledger', 'hammer.js'), ledgerPath, owner, String(rows), String(atOnce)];
  const process_ = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  return { process: process_, lines: createInterface({ input: process_.stdout })[Symbol.asyncIterator]() };
}

/** Lets them loose only when all of them are ready, so that they really race. */
async function release(hammers: readonly Hammer[]): Promise<void> {
  for (const { lines } of hammers) expect((await lines.next()).value).toBe('ready');
  for (const { process: child } of hammers) child.stdin.write('go\n');
}

async function rest(hammer: Hammer): Promise<string[]> {
  const found: string[] = [];
  for (let line = await hammer.lines.next(); line.done !== true; line = await hammer.lines.next())
    found.push(line.value);
  return found;
}

async function exitOf(hammer: Hammer): Promise<number | null> {
  if (hammer.process.exitCode === null && hammer.process.signalCode === null) await once(hammer.process, 'exit');
  return hammer.process.exitCode;
}

describe.each([1, 16])('a ledger that several processes use at once, with %d at once', (atOnce) => {
  const ROWS = 40;
  let path: string;
  let ledger: Ledger;
  beforeEach(async () => {
    path = join(freshFolder(), 'ledger.db');
  });
  afterEach(() => ledger.close());

  it('says go exactly once for every attempt, loses no update, and is made once', async () => {
    const hammers = ['w1', 'w2', 'w3'].map((owner) => start(path, owner, ROWS, atOnce));
    ledger = await openTestLedger(path);
    await fill(ledger, ROWS);
    await release(hammers);

    const goes = (await Promise.all(hammers.map(rest))).flat();
    expect(await Promise.all(hammers.map(exitOf))).toEqual([0, 0, 0]);
    expect(new Set(goes).size).toBe(goes.length);
    const recorded: string[] = [];
    for await (const { charges } of ledger.scanRows('b'))
      recorded.push(...charges.map(({ row, attempt }) => `${row}.${attempt}`));
    expect(goes.sort()).toEqual(recorded.sort());
    expect((await ledger.updateLimiter('goes', { type: 'learn', spans: [] })).jobs).toBe(goes.length);
  });

  it('goes on when one of them is killed, and keeps what that one was told', async () => {
    ledger = await openTestLedger(path);
    await fill(ledger, ROWS);
    const [victim, other] = ['w1', 'w2'].map((owner) => start(path, owner, ROWS, atOnce)) as [Hammer, Hammer];
    await release([victim]);
    const first = String((await victim.lines.next()).value);
    await release([other]);
    victim.process.kill('SIGKILL');
    const told = [first, ...(await rest(victim))];

    await rest(other);
    expect(await exitOf(other)).toBe(0);
    for (const line of told) {
      const [row = 0, attempt = 0] = line.split('.').map(Number);
      const charges = (await ledger.readRow('b', row))?.charges ?? [];
      expect(charges.find((charge) => charge.attempt === attempt)?.owner).toBe('w1');
    }
    expect(await ledger.counts('b')).toMatchObject({ total: ROWS });
  });
});
