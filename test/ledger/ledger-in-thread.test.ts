/** @slow */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { BatchExists, DuplicateRow, LedgerMisuse, LedgerMissing, LoadTakenOver } from '../../ledger/errors.ts';
import { LedgerTooNew, LedgerUnreachable } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beginThread, openInThread } from '../../ledger/ledger-in-thread.ts';
import { MIGRATION_TABLE } from '../../ledger/migrate.ts';
import { sqlite } from '../../ledger/sqlite/driver.ts';
import { aBatch, aKey, aRow, fill, INTENT, open, upTo } from './setup.ts';
import { transpile } from './transpile.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const run = promisify(execFile);

let code: Awaited<ReturnType<typeof transpile>>;
const folder = folderForEach();
let ledger: Ledger;

beforeAll(async () => {
  code = await transpile('dying-thread', 'idle-user');
});
afterAll(() => code.remove());
beforeEach(async () => {
  ledger = await openThere(folder('ledger.db'));
});
afterEach(() => ledger.close().catch(() => undefined));

const entryOf = (name: string): URL => pathToFileURL(join(code.folder, `${name}.js`));

function openThere(place: string, mustExist = false): Promise<Ledger> {
  return openInThread(beginThread(entryOf('ledger/ledger-thread'), { place, mustExist }, sqlite), sqlite);
}

describe('a ledger in a thread of its own', () => {
  it('is the same ledger as one in this thread, and answers everything that it is asked', async () => {
    const here = await open(folder());
    await fill(ledger, 3);
    expect(ledger.id).toBe(here.id);
    expect(Object.keys(ledger).sort()).toEqual(Object.keys(here).sort());
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go', row: { state: 'submitting' } });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(await ledger.finishJob(aKey(1), { credits: 3 }, { outcome: 'succeeded' })).toMatchObject({ finished: true });
    const told = (from: Ledger): Promise<unknown> =>
      Promise.all([from.readRow('b', 1), from.readRow('b', 9), from.money('b'), from.counts('b'), from.findBatch('b')]);
    expect(await told(ledger)).toEqual(await told(here));
    await here.close();
  });

  it('lets a change with patience wait until an urgent call goes', async () => {
    const here = await open(folder());
    await fill(ledger, 1);
    await ledger.intend(aKey(1), INTENT);
    const verdict = { verdict: 'accepted', jobId: 'j1', patienceMs: 600_000 } as const;
    const settling = ledger.settle(aKey(1), verdict, { state: 'processing' });
    for (let look = 0; look < 20; look += 1) {
      expect((await here.readRow('b', 1))?.charges).toMatchObject([{ state: 'sending' }]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ledger.findBatch('b');
    expect(await settling).toMatchObject({ settled: true });
  });

  it('reads all rows, a page at a time', async () => {
    await fill(ledger, 1200);
    const rows: number[] = [];
    for await (const { row } of ledger.scanRows('b')) rows.push(row.row);
    expect(rows).toEqual(upTo(1200));
  });

  it('is opened by a later call if a first one could not', async () => {
    const place = folder('later.db');
    const { pool } = beginThread(entryOf('ledger/ledger-thread'), { place, mustExist: true }, sqlite);
    const call = { method: 'open', args: [] } as const;
    await expect(pool.run(call)).rejects.toThrow(LedgerMissing);
    const made = await openThere(place);
    expect(await pool.run(call)).toMatchObject({ id: made.id });
    await made.close();
    await pool.close();
  });

  it('throws the errors of the ledger, with their classes and what they carry', async () => {
    await fill(ledger, 1);
    const twice = ledger.createBatch(aBatch());
    await expect(twice).rejects.toThrow(BatchExists);
    await expect(twice).rejects.toThrow('There is a batch "b" in this ledger already.');
    await expect(ledger.intend(aKey(9), INTENT)).rejects.toThrow(LedgerMisuse);
    const loading = await ledger.createBatch(aBatch('c'));
    const sameRow = ledger.addRows(loading, [aRow(1), aRow(1)]);
    await expect(sameRow).rejects.toThrow(DuplicateRow);
    await expect(ledger.openBatch({ ...loading, stem: 'of another' }, 0)).rejects.toThrow(LoadTakenOver);
    await expect(sameRow).rejects.toHaveProperty('cause.cause.code', 'SQLITE_CONSTRAINT_UNIQUE');
  });

  it('throws the errors of opening, and leaves no thread behind', async () => {
    const missing = folder('none.db');
    await expect(openThere(missing, true)).rejects.toThrow(LedgerMissing);
    await expect(openThere(missing, true)).rejects.toHaveProperty('path', missing);
    await expect(openThere(folder())).rejects.toThrow(LedgerUnreachable);
    const raw = new Database(ledger.place);
    raw.prepare(`insert into ${MIGRATION_TABLE} values ('9999-later', '')`).run();
    raw.close();
    await expect(openThere(ledger.place)).rejects.toThrow(LedgerTooNew);
  });

  it('loses no change of a limiter', async () => {
    const add = async (): Promise<number> =>
      (await ledger.updateLimiter('goes', { type: 'learn', spans: [[100, 100]] })).jobs;
    const answers = await Promise.all(upTo(30).map(add));
    expect(answers.toSorted((a, b) => a - b)).toEqual(upTo(30));
  });

  it('closes only when what was asked before is done', async () => {
    await fill(ledger, 150);
    const asked = upTo(150).map((row) => ledger.intend(aKey(row), { ...INTENT, maxSending: 200 }));
    const counted = ledger.counts('b');
    await ledger.close();
    expect((await Promise.all(asked)).filter(({ type: answer }) => answer === 'go')).toHaveLength(150);
    expect((await counted).total).toBe(150);
    const again = await open(folder());
    expect(await again.sending('b')).toHaveLength(150);
    await again.close();
    await expect(ledger.counts('b')).rejects.toThrow('closed');
  });

  it('fails all that was under way when its thread dies', async () => {
    const place = '/x/ledger.db';
    const thread = beginThread(entryOf('test/ledger/dying-thread'), { place, mustExist: false }, sqlite);
    const dying = await openInThread(thread, sqlite);
    const pending = [dying.intend(aKey(1), INTENT), dying.counts('b'), dying.money('b')];
    for (const result of await Promise.allSettled(pending)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LedgerUnreachable', path: '/x/ledger.db' } });
    }
    await expect(dying.counts('b')).rejects.toThrow(LedgerUnreachable);
  });

  it.each([
    ['close', '0 batches'],
    ['leave', '0 batches'],
    ['begin', 'begun'],
  ])('keeps no process from ending (%s)', async (then, says) => {
    const script = join(code.folder, 'test', 'ledger', 'idle-user.js');
    const args = [script, join(code.folder, 'ledger', 'ledger-thread.js'), folder('other.db'), then];
    expect((await run(process.execPath, args, { timeout: 20_000 })).stdout).toBe(says);
  });
});
