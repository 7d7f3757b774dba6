import { describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Failure } from '../../../contract/failures.ts';
import { parseHalt } from '../../../contract/halt.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { PROCESS_ENDED } from '../../../policy/reconcile/process-end.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

const FAILED = { outcome: 'failed', failure: { class: 'BadRequest', message: 'No.' } } as const;

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 60);
});

const outcomes = async (): Promise<unknown> => (await ledger.counts('b')).outcomes;

async function haltAt(policy: string): Promise<void> {
  const halt = parseHalt(policy);
  if (halt === undefined) throw new Error('not a policy');
  await ledger.tune('b', { halt });
}

async function accept(row: number): Promise<void> {
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `j${row}` }, { state: 'processing' });
}

async function fail(row: number): Promise<void> {
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'rejected' }, FAILED);
}

/** A row whose answer is lost. */
async function lose(
  row: number,
  failure: Failure = PROCESS_ENDED,
  outcome: 'unknown' | 'failed' = 'unknown',
): Promise<void> {
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'unknown', failure }, { outcome, failure });
}

describe('a stop before a request in doubt was sent again', () => {
  const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;

  it('leaves the row unknown, so that it may still be given its job', async () => {
    await lose(1);
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how }]);
    await ledger.stopNow('b');
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'unknown', take: 1, failure: PROCESS_ENDED });
    expect(await ledger.takesOf('b', 1)).toEqual([]);
    expect(await ledger.decide(aKey(1), { type: 'adopted', jobId: 'j', who: 'me' })).toBe(true);
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: null, state: 'processing' });
  });

  it('leaves the row overdue whose job was not to be waited for any more', async () => {
    await accept(1);
    await ledger.changeRunning(aKey(1), { outcome: 'overdue', failure: { class: 'Overdue', message: 'Late.' } });
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how }]);
    await ledger.setControl('b', 'stopping');
    await ledger.cancelRest('b');
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'overdue', take: 1 });
  });

  it('cancels a row that has got its answer meanwhile', async () => {
    await lose(1);
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how }]);
    await ledger.settle(aKey(1), { verdict: 'rejected', failure: FAILED.failure }, FAILED);
    await ledger.stopNow('b');
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'cancelled', take: 2 });
  });
});

describe('a stop of more rows than one transaction ends', () => {
  it('ends them all, but what is on the wire', async () => {
    await fill(ledger, 2_600, 'large');
    const at = (row: number): ReturnType<typeof aKey> => ({ ...aKey(row), batch: 'large' });
    await ledger.intend(at(1500), INTENT);
    await ledger.intend(at(2), INTENT);
    await ledger.settle(at(2), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.stopNow('large');
    expect((await ledger.counts('large')).outcomes).toMatchObject({ cancelled: 2598, overdue: 1 });
    await ledger.settle(at(1500), { verdict: 'not-accepted' }, { state: 'waiting' });
    expect(await ledger.cancelRest('large')).toBe(1);
    expect(await ledger.closeBatch('large')).toBe(0);
  });
});

describe('stopNow', () => {
  it('waits for nothing but what is on the wire', async () => {
    await accept(1);
    await ledger.intend(aKey(2), INTENT);
    expect(await ledger.stopNow('b')).toBe('stopping');
    expect(await outcomes()).toMatchObject({ overdue: 1, cancelled: 58 });
    expect((await ledger.readRow('b', 1))?.row.failure).toMatchObject({ class: 'Overdue' });
    expect(await ledger.runningJobs('b')).toMatchObject([{ row: 1, jobId: 'j1' }]);
    // Its answer comes: then there is a job that nobody waits for.
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'j2' }, { state: 'processing' });
    expect(await ledger.cancelRest('b')).toBe(1);
    expect(await outcomes()).toMatchObject({ overdue: 2, cancelled: 58 });
    expect(await ledger.closeBatch('b')).toBe(0);
  });

  it('may be said twice, after a stop, and of a closed batch', async () => {
    await accept(1);
    await ledger.setControl('b', 'stopping');
    expect([await ledger.stopNow('b'), await ledger.stopNow('b')]).toEqual(['stopping', 'stopping']);
    await ledger.closeBatch('b');
    expect(await ledger.stopNow('b')).toBe('stopping');
    expect(await outcomes()).toMatchObject({ overdue: 1, cancelled: 59 });
  });
});

describe('a row that went on to another take', () => {
  it('is not waited for, whatever became of its earlier take', async () => {
    const resubmit = (row: number): Promise<unknown> =>
      redriveNow(ledger, 'b', [{ row, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } }]);
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    await resubmit(1);
    await accept(2);
    await ledger.changeRunning(aKey(2), { outcome: 'overdue' });
    await resubmit(2);
    await ledger.stopNow('b');
    expect(await outcomes()).toMatchObject({ cancelled: 58, overdue: 1, unknown: 1 });
    expect(await ledger.closeBatch('b')).toBe(0);
  });

  it('is waited for where its answer opens the batch again that was stopped at once', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.stopNow('b');
    expect(await ledger.closeBatch('b')).toBe(0);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await ledger.cancelRest('b')).toBe(0);
    expect(await ledger.readRow('b', 1)).toMatchObject({ row: { outcome: null, state: 'processing' } });
  });

  it('is given no take of its own while the batch is being stopped', async () => {
    await accept(1);
    await ledger.setControl('b', 'stopping');
    await ledger.finishJob(aKey(1), {}, { retake: 'speech', reason: 'retake', most: 3, otherwise: FAILED });
    expect(await ledger.readRow('b', 1)).toMatchObject({ row: { take: 1, outcome: 'failed' } });
  });
});

describe('a halt', () => {
  it('comes with the failure that is one too many, in the same transaction', async () => {
    await haltAt('soon,fail=2');
    await accept(1);
    await fail(2);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running', halted: null });
    await fail(3);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'stopping' });
    expect((await ledger.findBatch('b'))?.halted).toContain('--halt soon,fail=2');
    expect(await ledger.intend(aKey(4), INTENT)).toMatchObject({ type: 'blocked' });
    expect(await outcomes()).toMatchObject({ failed: 2, cancelled: 57 });
    expect(await ledger.readRow('b', 1)).toMatchObject({ row: { outcome: null } });
  });

  it('does not wait for running jobs where it says now', async () => {
    await haltAt('now,fail=1');
    await accept(1);
    await fail(2);
    expect(await outcomes()).toMatchObject({ failed: 1, overdue: 1, cancelled: 58 });
  });

  it('counts rows whose jobs run among those that were tried: refusals come first', async () => {
    await haltAt('soon,fail=50%');
    for (let row = 1; row <= 24; row++) await accept(row);
    for (let row = 25; row < 48; row++) await fail(row);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running', halted: null });
    await fail(48);
    expect((await ledger.findBatch('b'))?.halted).toContain('24 of 48 rows failed');
  });

  it('counts percentages only from 20 rows on', async () => {
    await haltAt('soon,fail=10%');
    for (let row = 1; row <= 19; row++) await fail(row);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running' });
    await fail(20);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'stopping' });
  });

  it.each([
    ['unknown', 'soon,fail=2'],
    ['failed', 'now,fail=2'],
  ] as const)('counts no row that ended %s by the end of a process, with %s', async (outcome, policy) => {
    await haltAt(policy);
    await fail(1);
    for (let row = 2; row <= 30; row++) await lose(row, PROCESS_ENDED, outcome);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running', halted: null });
    await fail(31);
    expect((await ledger.findBatch('b'))?.halted).toMatch(/^2 rows failed,/);
  });

  it('counts an answer that was lost on the wire', async () => {
    await haltAt('soon,fail=2');
    const onTheWire = { class: 'OutcomeUnknown', message: 'No answer came.', cause: 'time-out' } as const;
    await lose(1, onTheWire);
    await lose(2, PROCESS_ENDED);
    expect((await ledger.findBatch('b'))?.control).toBe('running');
    await lose(3, onTheWire);
    expect((await ledger.findBatch('b'))?.halted).toMatch(/^2 rows failed,/);
  });

  it('counts rows that ended by the end of a process neither as failed nor as tried', async () => {
    await haltAt('soon,fail=10%');
    for (let row = 1; row <= 10; row++) await lose(row);
    for (let row = 11; row <= 28; row++) await accept(row);
    await fail(29);
    // 12 of 30 rows would be far too many; 2 of 20 are just enough.
    expect((await ledger.findBatch('b'))?.control).toBe('running');
    await fail(30);
    expect((await ledger.findBatch('b'))?.halted).toMatch(/^2 of 20 rows failed,/);
  });

  it('counts no row in parts one of which ended by the end of a process', async () => {
    const part = { spec: aRow(1).spec, quoted: 1 };
    await ledger.createBatch(aBatch('long'));
    await ledger.addRows('long', [{ ...aRow(1), parts: { first: 3, rows: [part, part] } }, aRow(2)]);
    await ledger.openBatch('long', 2);
    await ledger.tune('long', { halt: { when: 'soon', fail: 1, unit: 'rows' } });
    const [lost, good] = [3, 4].map((row) => ({ ...aKey(row), batch: 'long' })) as [AttemptKey, AttemptKey];
    for (const key of [lost, good]) await ledger.intend(key, INTENT);
    const effect = { outcome: 'unknown', failure: PROCESS_ENDED } as const;
    await ledger.settle(lost, { verdict: 'unknown', failure: PROCESS_ENDED }, effect);
    await ledger.settle(good, { verdict: 'done' }, { outcome: 'succeeded' });
    expect((await ledger.readRow('long', 1))?.row.outcome).toBe('unknown');
    expect(await ledger.findBatch('long')).toMatchObject({ control: 'running', halted: null });
  });

  it('takes from what it counts only the rows that are in it: those since the batch was opened again', async () => {
    for (let row = 1; row <= 5; row++) await lose(row);
    await ledger.stopNow('b');
    await ledger.closeBatch('b');
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await redriveNow(
      ledger,
      'b',
      [6, 7].map((row) => ({ row, take: 1, how })),
    );
    await haltAt('soon,fail=1');
    await ledger.intend(aKey(6, 1, 2), INTENT);
    await ledger.settle(aKey(6, 1, 2), { verdict: 'rejected' }, FAILED);
    expect((await ledger.findBatch('b'))?.halted).toMatch(/^1 row failed,/);
  });

  it('counts anew after the batch was opened again', async () => {
    await haltAt('soon,fail=1');
    await fail(1);
    await ledger.closeBatch('b');
    await ledger.tune('b', { halt: { when: 'soon', fail: 2, unit: 'rows' } });
    await redriveNow(
      ledger,
      'b',
      [2, 3].map((row) => ({ row, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } })),
    );
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running', halted: null });
    await ledger.intend(aKey(2, 1, 2), INTENT);
    await ledger.settle(aKey(2, 1, 2), { verdict: 'rejected' }, FAILED);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running' });
  });
});
