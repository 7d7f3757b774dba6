import { beforeEach, describe, expect, it } from '@jest/globals';
import { accept, finish, JOB_FAILED } from '../actions.ts';
import { aKey, aRow, ledger, ledgerForEachTest, load } from '../setup.ts';

const ACCOUNT = { apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };

ledgerForEachTest();

const pass = (...words: string[]): Promise<readonly string[]> => ledger.passHints(ACCOUNT, 'receiver', words);

/** A batch whose rows, of these numbers, have jobs, and are held by a worker. */
async function batchOf(owner: string, rows: readonly number[], change: object = {}): Promise<void> {
  const name = `of-${owner}`;
  const given = rows.map((row) => aRow(row));
  await load(given, { name, ...change });
  const lane = await ledger.acquireLane({ batch: name, lane: 1, run: 'run', owner });
  await ledger.claimRows({ ...lane, limit: 100 });
  for (const row of rows) await accept({ ...aKey(row), batch: name }, { jobId: `job-${row}` }, { owner });
}

describe('a webhook about a job of another process', () => {
  beforeEach(() => batchOf('waiter', [1, 2, 3]));

  it('is heard by the process that holds its row, once', async () => {
    expect(await pass('application', 'job-2', 'json')).toEqual(['job-2']);
    expect(await ledger.takeHints('another')).toEqual([]);
    expect(await ledger.takeHints('waiter')).toEqual(['job-2']);
    expect(await ledger.takeHints('waiter')).toEqual([]);
  });

  it('is heard once if it came several times, and again if it comes again', async () => {
    await pass('job-1', 'job-3');
    await pass('job-1');
    expect([...(await ledger.takeHints('waiter'))].sort()).toEqual(['job-1', 'job-3']);
    await pass('job-1');
    expect(await ledger.takeHints('waiter')).toEqual(['job-1']);
  });

  it('is heard by whoever holds the row now', async () => {
    await ledger.acquireLane({ batch: 'of-waiter', lane: 1, run: 'run', owner: 'next' });
    // Nobody holds it until it is claimed again.
    expect(await pass('job-1')).toEqual([]);
    const lane = await ledger.acquireLane({ batch: 'of-waiter', lane: 1, run: 'run', owner: 'next' });
    await ledger.claimRows({ ...lane, limit: 100 });
    expect(await pass('job-1')).toEqual(['job-1']);
    expect([await ledger.takeHints('waiter'), await ledger.takeHints('next')]).toEqual([[], ['job-1']]);
  });

  it('is heard also if a poll that came first has recorded the end a moment ago', async () => {
    await finish({ ...aKey(1), batch: 'of-waiter' }, { failure: JOB_FAILED });
    expect(await pass('job-1')).toEqual(['job-1']);
  });

  it('means nothing to the receiver itself, nor for another account or API', async () => {
    expect(await ledger.passHints(ACCOUNT, 'waiter', ['job-1'])).toEqual([]);
    expect(await ledger.passHints({ ...ACCOUNT, account: 'u2' }, 'receiver', ['job-1'])).toEqual([]);
    expect(await ledger.passHints({ ...ACCOUNT, apiUrl: 'http://else' }, 'receiver', ['job-1'])).toEqual([]);
    expect(await pass()).toEqual([]);
    expect(await ledger.takeHints('waiter')).toEqual([]);
  });

  it('is forgotten with the process that waited for it', async () => {
    await pass('job-1', 'job-2');
    await ledger.forgetWorkers({ owner: 'waiter' });
    expect(await ledger.takeHints('waiter')).toEqual([]);
  });
});

it('of two accounts whose jobs have one id, only that of the account which received the webhook is told', async () => {
  await batchOf('one', [1]);
  await batchOf('two', [1], { account: 'u2' });
  expect(await pass('job-1')).toEqual(['job-1']);
  expect([await ledger.takeHints('one'), await ledger.takeHints('two')]).toEqual([['job-1'], []]);
});
