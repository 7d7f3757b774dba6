import { describe, expect, it, jest } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { ALIKE_HALT, NEVER_HALT, type HaltPolicy } from '../../../contract/halt.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { PROCESS_ENDED } from '../../../policy/reconcile/process-end.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** When the first rows of a batch come to nothing, and what is counted of failures. */

const BLOCKED: Failure = {
  class: 'ResultGone',
  message: 'GET of the result was answered with 403',
  cause: '403 from cdn.example',
};
const HOARSE: Failure = { class: 'JobFailed', message: 'The API says that job j failed: hoarse', cause: 'hoarse' };

let ledger: Ledger;

ledgerForEachTest((made) => {
  ledger = made;
});

async function fillAlike(rows: number, halt: HaltPolicy = ALIKE_HALT): Promise<void> {
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, halt } });
  await ledger.addRows(
    'b',
    Array.from({ length: rows }, (_, at) => aRow(at + 1)),
  );
  await ledger.openBatch('b', rows);
}

/** A job of the row, paid for. */
async function pay(row: number): Promise<void> {
  expect((await ledger.intend(aKey(row), INTENT)).type).toBe('go');
  await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `j${row}` }, { state: 'processing' });
}

async function fail(row: number, failure = BLOCKED): Promise<void> {
  await pay(row);
  await ledger.finishJob(aKey(row), { failure }, { outcome: 'failed', failure });
}

async function succeed(row: number): Promise<void> {
  await pay(row);
  const file = { key: `${row}.mp3`, bytes: 1, sha256: 'f'.repeat(64), extension: 'mp3' };
  await ledger.finishJob(aKey(row), { file }, { outcome: 'succeeded', file });
}

const trouble = (row: number): Promise<unknown> =>
  ledger.changeRunning(aKey(row), { state: 'processing', trouble: BLOCKED });

const control = async (): Promise<string | undefined> => (await ledger.findBatch('b'))?.control;

describe('a batch whose first rows come to nothing', () => {
  it('pauses at the twentieth, says why without a sum that would grow old, and pays for nothing more', async () => {
    await fillAlike(30);
    for (let row = 1; row < 20; row++) await fail(row);
    expect(await control()).toBe('running');
    await fail(20);
    expect(await ledger.findBatch('b')).toMatchObject({
      state: 'open',
      control: 'paused',
      pauseReason: {
        class: 'ResultGone',
        message: 'the first 20 paid rows all failed (ResultGone), the last one because: 403 from cdn.example',
      },
    });
    expect((await ledger.intend(aKey(21), INTENT)).type).toBe('blocked');
  });

  it('looks at no row whose answer was lost by the end of a process, however many there are and wherever they come', async () => {
    const lost = async (row: number, failure: Failure): Promise<void> => {
      await ledger.intend(aKey(row), INTENT);
      await ledger.settle(aKey(row), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    };
    await fillAlike(90);
    for (let row = 1; row <= 30; row++) await lost(row, PROCESS_ENDED);
    expect(await control()).toBe('running');
    const cut: Failure = { class: 'OutcomeUnknown', message: 'No answer came.', cause: 'ECONNRESET' };
    for (let row = 31; row < 50; row++) await lost(row, cut);
    for (let row = 50; row <= 60; row++) await lost(row, PROCESS_ENDED);
    expect(await control()).toBe('running');
    await lost(61, cut);
    expect(await control()).toBe('paused');
  });

  it.each([
    ['a row has a result', () => succeed(1)],
    ['a row has another class', () => fail(1, HOARSE)],
  ])('goes on where %s', async (_what, first) => {
    await fillAlike(40);
    await first();
    for (let row = 2; row <= 30; row++) await fail(row);
    expect(await control()).toBe('running');
  });

  it('goes on with --halt never, where no row is left to pay for, and where nothing was paid', async () => {
    await fillAlike(30, NEVER_HALT);
    for (let row = 1; row <= 25; row++) await fail(row);
    expect(await control()).toBe('running');
    await ledger.createBatch({ ...aBatch('c'), settings: { ...aBatch().settings, halt: ALIKE_HALT } });
    await ledger.addRows(
      'c',
      Array.from({ length: 30 }, (_, at) => aRow(at + 1)),
    );
    await ledger.openBatch('c', 30);
    for (let row = 1; row <= 25; row++) {
      const key = { ...aKey(row), batch: 'c' };
      await ledger.intend(key, INTENT);
      const failure: Failure = { class: 'BadRequest', message: 'no such voice', cause: '400 from POST /speech/tts' };
      await ledger.settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
    }
    expect((await ledger.findBatch('c'))?.control).toBe('running');
  });

  it('does not stay open for it when all is paid for', async () => {
    await fillAlike(20);
    for (let row = 1; row <= 20; row++) await fail(row);
    expect(await control()).toBe('running');
    expect(await ledger.closeBatch('b')).toBe(0);
  });

  it('pauses also where each row words one cause in its own way, ended or still running', async () => {
    const worded = (row: number): Failure =>
      row % 2 === 0 ? BLOCKED : { ...BLOCKED, cause: `410 from cdn-${row}.example` };
    await fillAlike(60);
    for (let row = 1; row <= 20; row++) await fail(row, worded(row));
    expect(await control()).toBe('paused');
    await ledger.setControl('b', 'running');
    for (let row = 21; row <= 40; row++) {
      await pay(row);
      await ledger.changeRunning(aKey(row), { state: 'processing', trouble: worded(row) });
      await ledger.changeRunning(aKey(row), { state: 'processing', trouble: worded(row + 1) });
    }
    expect(await control()).toBe('paused');
  });

  it('counts anew after a person let it go on, and after a redrive', async () => {
    await fillAlike(100);
    for (let row = 1; row <= 20; row++) await fail(row);
    await ledger.setControl('b', 'running');
    for (let row = 21; row < 40; row++) await fail(row);
    expect(await control()).toBe('running');
    await fail(40);
    expect(await control()).toBe('paused');
    await ledger.setControl('b', 'running');
    await succeed(41);
    for (let row = 42; row <= 70; row++) await fail(row);
    expect(await control()).toBe('running');
  });

  it('counts no row that was paid for before a person let it go on, whatever became of it', async () => {
    // Each look at the clock is later than the one before.
    let now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => ++now);
    try {
      await fillAlike(120);
      for (let row = 1; row <= 27; row++) await pay(row);
      const end = (row: number): Promise<unknown> =>
        ledger.finishJob(aKey(row), { failure: BLOCKED }, { outcome: 'failed', failure: BLOCKED });
      for (let row = 1; row <= 20; row++) await end(row);
      expect(await control()).toBe('paused');
      await ledger.setControl('b', 'running');
      for (let row = 21; row <= 25; row++) await end(row);
      for (let row = 28; row < 28 + 19; row++) await fail(row);
      expect(await control()).toBe('running');
      // A result of before does not count either.
      const file = { key: '26.mp3', bytes: 1, sha256: 'f'.repeat(64), extension: 'mp3' };
      await ledger.finishJob(aKey(26), { file }, { outcome: 'succeeded', file });
      await trouble(27);
      await trouble(27);
      expect(await control()).toBe('running');
      await fail(28 + 19);
      expect(await control()).toBe('paused');
    } finally {
      clock.mockRestore();
    }
  });

  it('pauses over results that cannot be fetched, in rows that still run: at the second failure of each', async () => {
    await fillAlike(30);
    for (let row = 1; row <= 20; row++) {
      await pay(row);
      await trouble(row);
    }
    expect(await control()).toBe('running');
    for (let row = 1; row < 20; row++) await trouble(row);
    expect(await control()).toBe('running');
    await trouble(20);
    expect(await control()).toBe('paused');
  });
});

describe('the commonest reasons', () => {
  it('count rows that ended and rows that run, and follow every change', async () => {
    await fillAlike(30, NEVER_HALT);
    for (let row = 1; row <= 3; row++) await fail(row);
    await fail(4, HOARSE);
    await pay(5);
    await trouble(5);
    const blocked = { class: 'ResultGone', cause: '403 from cdn.example' };
    const hoarse = { class: 'JobFailed', cause: 'hoarse', open: 0, ended: 1 };
    expect(await ledger.commonReasons('b', 5)).toEqual([{ ...blocked, open: 1, ended: 3 }, hoarse]);
    expect(await ledger.commonReasons('b', 1)).toHaveLength(1);
    await ledger.finishJob(aKey(5), {}, { state: 'waiting' });
    expect(await ledger.commonReasons('b', 5)).toEqual([{ ...blocked, open: 0, ended: 3 }, hoarse]);
    const choice = { take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } } as const;
    await redriveNow(
      ledger,
      'b',
      [1, 2, 3].map((row) => ({ row, ...choice })),
    );
    expect(await ledger.commonReasons('b', 5)).toEqual([hoarse]);
  });

  it('leave out rows that the budget kept back', async () => {
    await fillAlike(3);
    await ledger.tune('b', { budget: 1 });
    await ledger.intend(aKey(1), INTENT);
    expect((await ledger.counts('b')).outcomes.skipped).toBe(3);
    expect(await ledger.commonReasons('b', 5)).toEqual([]);
  });
});
