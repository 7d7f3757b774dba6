import { describe, expect, it } from '@jest/globals';
import { PROCESS_ENDED } from '../../../policy/reconcile/process-end.ts';
import { accept, adopt, answer, ask, complete, FAILED, finish, giveUpWaiting, haltAt, LOST, lose } from '../actions.ts';
import { redrive, reject, REFUSED, RESUBMIT, send, settle, stop, WAITING } from '../actions.ts';
import { batchOf, close, halted, rowOf } from '../readings.ts';
import { aKey, aRow, fill, ledger, ledgerForEachTest, load, partsOf, upTo } from '../setup.ts';

ledgerForEachTest(() => load(60));

async function expectOutcomes(outcomes: Readonly<Record<string, number>>, name = 'b'): Promise<void> {
  expect((await ledger.counts(name)).outcomes).toMatchObject(outcomes);
}

async function expectGoingOn(): Promise<void> {
  expect(await batchOf()).toMatchObject({ control: 'running', halted: null });
}

describe('a stop before a request in doubt was sent again', () => {
  it('leaves the row unknown, so that it may still be given its job', async () => {
    await lose(1);
    await redrive(1, RESUBMIT);
    await ledger.stopNow('b');
    expect(await rowOf(1)).toMatchObject({ outcome: 'unknown', take: 1, failure: LOST });
    expect(await ledger.takesOf('b', 1)).toEqual([]);
    expect(await adopt(1, 'j')).toBe(true);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing' });
  });

  it('leaves the row overdue whose job was not to be waited for any more', async () => {
    await accept(1);
    await giveUpWaiting(1);
    await redrive(1, RESUBMIT);
    await stop();
    expect(await rowOf(1)).toMatchObject({ outcome: 'overdue', take: 1 });
  });

  it('cancels a row that has got its answer meanwhile', async () => {
    await lose(1);
    await redrive(1, RESUBMIT);
    await settle(1, { verdict: 'rejected', failure: REFUSED }, FAILED);
    await ledger.stopNow('b');
    expect(await rowOf(1)).toMatchObject({ outcome: 'cancelled', take: 2 });
  });
});

it('a stop of more rows than one transaction ends, ends them all, but what is on the wire', async () => {
  await fill(ledger, 2_600, 'large');
  const at = (row: number): ReturnType<typeof aKey> => ({ ...aKey(row), batch: 'large' });
  await send(at(1500));
  await accept(at(2));
  await ledger.stopNow('large');
  await expectOutcomes({ cancelled: 2598, overdue: 1 }, 'large');
  await settle(at(1500), { verdict: 'not-accepted' }, WAITING);
  expect(await ledger.cancelRest('large')).toBe(1);
  await close('large');
});

it('a sweep that comes after the batch was closed and redriven ends none of its rows', async () => {
  await stop();
  await close();
  await redrive(upTo(60));
  expect(await ledger.cancelRest('b')).toBe(0);
  await expectOutcomes({ cancelled: 0 });
});

describe('stopNow', () => {
  it('waits for nothing but what is on the wire', async () => {
    await accept(1);
    await send(2);
    expect(await ledger.stopNow('b')).toBe('stopping');
    await expectOutcomes({ overdue: 1, cancelled: 58 });
    expect((await rowOf(1)).failure).toMatchObject({ class: 'Overdue' });
    expect(await ledger.runningJobs('b')).toMatchObject([{ row: 1, jobId: 'j1' }]);
    // Its answer comes: then there is a job that nobody waits for.
    await answer(2);
    expect(await ledger.cancelRest('b')).toBe(1);
    await expectOutcomes({ overdue: 2, cancelled: 58 });
    await close();
  });

  it('may be said twice, after a stop, and of a closed batch', async () => {
    await accept(1);
    await ledger.setControl('b', 'stopping');
    expect([await ledger.stopNow('b'), await ledger.stopNow('b')]).toEqual(['stopping', 'stopping']);
    await close();
    expect(await ledger.stopNow('b')).toBe('stopping');
    await expectOutcomes({ overdue: 1, cancelled: 59 });
  });
});

describe('a row that went on to another take', () => {
  it('is not waited for, whatever became of its earlier take', async () => {
    await lose(1);
    await accept(2);
    await giveUpWaiting(2);
    await redrive([1, 2], RESUBMIT);
    await ledger.stopNow('b');
    await expectOutcomes({ cancelled: 58, overdue: 1, unknown: 1 });
    await close();
  });

  it('is waited for where its answer opens the batch again that was stopped at once', async () => {
    await lose(1);
    await ledger.stopNow('b');
    await close();
    await answer(1);
    expect(await ledger.cancelRest('b')).toBe(0);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing' });
  });

  it('is given no take of its own while the batch is being stopped', async () => {
    await accept(1);
    await ledger.setControl('b', 'stopping');
    await finish(1, {}, { retake: 'speech', reason: 'retake', most: 3, otherwise: FAILED });
    expect(await rowOf(1)).toMatchObject({ take: 1, outcome: 'failed' });
  });
});

describe('a halt', () => {
  async function rejectAll(first: number, last: number): Promise<void> {
    for (let row = first; row <= last; row++) await reject(row);
  }

  it('comes with the failure that is one too many, in the same transaction', async () => {
    await haltAt('soon,fail=2');
    await accept(1);
    await reject(2);
    await expectGoingOn();
    await reject(3);
    expect((await batchOf()).control).toBe('stopping');
    expect(await halted()).toContain('--halt soon,fail=2');
    expect(await ask(4)).toBe('blocked');
    await expectOutcomes({ failed: 2, cancelled: 57 });
    expect((await rowOf(1)).outcome).toBeNull();
  });

  it('does not wait for running jobs where it says now', async () => {
    await haltAt('now,fail=1');
    await accept(1);
    await reject(2);
    await expectOutcomes({ failed: 1, overdue: 1, cancelled: 58 });
  });

  it('counts rows whose jobs run among those that were tried: refusals come first', async () => {
    await haltAt('soon,fail=50%');
    for (const row of upTo(24)) await accept(row);
    await rejectAll(25, 47);
    await expectGoingOn();
    await reject(48);
    expect(await halted()).toContain('24 of 48 rows failed');
  });

  it.each([
    ['unknown', 'soon,fail=2'],
    ['failed', 'now,fail=2'],
  ] as const)('counts no row that ended %s by the end of a process, with %s', async (outcome, policy) => {
    await haltAt(policy);
    await reject(1);
    for (let row = 2; row <= 30; row++) await lose(row, PROCESS_ENDED, { outcome, failure: PROCESS_ENDED });
    await expectGoingOn();
    await reject(31);
    expect(await halted()).toMatch(/^2 rows failed,/);
  });

  it('counts an answer that was lost on the wire', async () => {
    await haltAt('soon,fail=2');
    const onTheWire = { ...LOST, cause: 'time-out' };
    await lose(1, onTheWire);
    await lose(2, PROCESS_ENDED);
    await expectGoingOn();
    await lose(3, onTheWire);
    expect(await halted()).toMatch(/^2 rows failed,/);
  });

  it('counts rows that ended by the end of a process neither as failed nor as tried', async () => {
    await haltAt('soon,fail=10%');
    for (let row = 1; row <= 10; row++) await lose(row, PROCESS_ENDED);
    for (let row = 11; row <= 28; row++) await accept(row);
    await reject(29);
    // 12 of 30 rows would be far too many; 2 of 20 are just enough.
    await expectGoingOn();
    await reject(30);
    expect(await halted()).toMatch(/^2 of 20 rows failed,/);
  });

  it('counts no row in parts one of which ended by the end of a process', async () => {
    const halt = { when: 'soon', fail: 1, unit: 'rows' } as const;
    await load([{ ...aRow(1), parts: partsOf(3, 'One.', 'Two.') }, aRow(2)], { name: 'long', settings: { halt } });
    await lose({ ...aKey(3), batch: 'long' }, PROCESS_ENDED);
    await complete({ ...aKey(4), batch: 'long' });
    expect((await rowOf(1, 'long')).outcome).toBe('unknown');
    expect(await batchOf('long')).toMatchObject({ control: 'running', halted: null });
  });

  it('takes from what it counts only the rows that are in it: those since the batch was opened again', async () => {
    for (const row of upTo(5)) await lose(row, PROCESS_ENDED);
    await ledger.stopNow('b');
    await close();
    await redrive([6, 7]);
    await haltAt('soon,fail=1');
    await reject(aKey(6, 1, 2));
    expect(await halted()).toMatch(/^1 row failed,/);
  });

  it('counts anew after the batch was opened again', async () => {
    await haltAt('soon,fail=1');
    await reject(1);
    await close();
    await haltAt('soon,fail=2');
    await redrive([2, 3]);
    await expectGoingOn();
    await reject(aKey(2, 1, 2));
    await expectGoingOn();
  });
});
