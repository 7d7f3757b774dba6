/** @slow */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fill, makeFolder, open } from './setup.ts';
import { transpile } from './transpile.ts';

interface Hammer {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string>;
}

let code: Awaited<ReturnType<typeof transpile>>;

beforeAll(async () => {
  code = await transpile([
    'threads',
    'ledger',
    'contract',
    'policy',
    'embedded/kernel-lock.ts',
    'embedded/private-file.ts',
    'embedded/server-unavailable.ts',
    'test/ledger/hammer.ts',
  ]);
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

describe('a ledger that several processes use at once', () => {
  it.each([1, 16])(
    'says go exactly once for every attempt, loses no update, and is made once, with %d at once',
    async (atOnce) => {
      const { folder, remove } = await makeFolder();
      const rows = 40;
      const hammers = ['w1', 'w2', 'w3'].map((owner) => start(join(folder, 'ledger.db'), owner, rows, atOnce));
      const ledger = await open(folder);
      await fill(ledger, rows);
      await release(hammers);

      const goes = (await Promise.all(hammers.map(rest))).flat();
      expect(await Promise.all(hammers.map(exitOf))).toEqual([0, 0, 0]);
      expect(new Set(goes).size).toBe(goes.length);
      const charges: string[] = [];
      for await (const row of ledger.scanRows('b')) {
        for (const { row: number, attempt } of row.charges) charges.push(`${number}.${attempt}`);
      }
      expect(goes.sort()).toEqual(charges.sort());
      const counted = await ledger.updateLimiter('goes', { type: 'learn', spans: [] });
      expect(counted.jobs).toBe(goes.length);
      await ledger.close();
      await remove();
    },
  );

  it.each([1, 16])(
    'goes on when one of them is killed, and keeps what that one was told, with %d at once',
    async (atOnce) => {
      const { folder, remove } = await makeFolder();
      const rows = 40;
      const ledger = await open(folder);
      await fill(ledger, rows);
      const [victim, other] = ['w1', 'w2'].map((owner) => start(join(folder, 'ledger.db'), owner, rows, atOnce));
      if (victim === undefined || other === undefined) throw new Error('No process was started.');
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
      expect(await ledger.counts('b')).toMatchObject({ total: rows });
      await ledger.close();
      await remove();
    },
  );
});
