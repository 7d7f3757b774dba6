import { describe, expect, it, jest } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { ALIKE_HALT, NEVER_HALT, type HaltPolicy } from '../../../contract/halt.ts';
import { PROCESS_ENDED } from '../../../policy/reconcile/process-end.ts';
import { accept, ask, fail, FILE, finish, lose, redrive, reject, succeed, WAITING } from '../actions.ts';
import { batchOf, close } from '../readings.ts';
import { aKey, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';

/** When the first rows of a batch come to nothing, and what is counted of failures. */

const BLOCKED: Failure = {
  class: 'ResultGone',
  message: 'GET of the result was answered with 403',
  cause: '403 from cdn.example',
};
const HOARSE: Failure = { class: 'JobFailed', message: 'The API says that job j failed: hoarse', cause: 'hoarse' };

ledgerForEachTest();

const loadAlike = (rows: number, halt: HaltPolicy = ALIKE_HALT): Promise<void> => load(rows, { settings: { halt } });

/** Does this with rows `first` to `last`, one after the other. */
async function each(first: number, last: number, work: (row: number) => Promise<unknown>): Promise<void> {
  for (const row of upTo(last).slice(first - 1)) await work(row);
}

const block = (row: number): Promise<void> => fail(row, BLOCKED);

const trouble = (row: number, failure = BLOCKED): Promise<unknown> =>
  ledger.changeRunning(aKey(row), { state: 'processing', trouble: failure });

async function expectControl(control: 'running' | 'paused'): Promise<void> {
  expect((await batchOf()).control).toBe(control);
}

describe('a batch whose first rows come to nothing', () => {
  it('pauses at the twentieth, says why without a sum that would grow old, and pays for nothing more', async () => {
    await loadAlike(30);
    await each(1, 19, block);
    await expectControl('running');
    await block(20);
    const message = 'the first 20 paid rows all failed (ResultGone), the last one because: 403 from cdn.example';
    const pauseReason = { class: 'ResultGone', message };
    expect(await batchOf()).toMatchObject({ state: 'open', control: 'paused', pauseReason });
    expect(await ask(21)).toBe('blocked');
  });

  it('looks at no row whose answer was lost by the end of a process, however many there are and wherever they come', async () => {
    const end = (row: number): Promise<void> => lose(row, PROCESS_ENDED);
    const cut = (row: number): Promise<void> =>
      lose(row, { class: 'OutcomeUnknown', message: 'No answer came.', cause: 'ECONNRESET' });
    await loadAlike(90);
    await each(1, 30, end);
    await expectControl('running');
    await each(31, 49, cut);
    await each(50, 60, end);
    await expectControl('running');
    await cut(61);
    await expectControl('paused');
  });

  it.each([
    ['a row has a result', 40, ALIKE_HALT, 2],
    ['it is to halt never', 30, NEVER_HALT, 1],
    ['no row is left to pay for', 20, ALIKE_HALT, 1],
  ])('goes on where %s', async (_, rows, halt, first) => {
    await loadAlike(rows, halt);
    if (first > 1) await succeed(1);
    await each(first, Math.min(25, rows), block);
    await expectControl('running');
    if (rows === 20) await close();
  });

  it('goes on where nothing was paid', async () => {
    await loadAlike(30);
    await each(1, 25, (row) => reject(row));
    await expectControl('running');
  });

  it('pauses also where each row words one cause in its own way, ended or still running', async () => {
    const worded = (row: number): Failure =>
      row % 2 === 0 ? BLOCKED : { ...BLOCKED, cause: `410 from cdn-${row}.example` };
    await loadAlike(60);
    await each(1, 20, (row) => fail(row, worded(row)));
    await expectControl('paused');
    await ledger.setControl('b', 'running');
    await each(21, 40, async (row) => {
      await accept(row);
      await trouble(row, worded(row));
      await trouble(row, worded(row + 1));
    });
    await expectControl('paused');
  });

  it('counts anew after a person let it go on, and after a redrive', async () => {
    await loadAlike(100);
    await each(1, 20, block);
    await ledger.setControl('b', 'running');
    await each(21, 39, block);
    await expectControl('running');
    await block(40);
    await expectControl('paused');
    await ledger.setControl('b', 'running');
    await succeed(41);
    await each(42, 70, block);
    await expectControl('running');
  });

  it('counts no row that was paid for before a person let it go on, whatever became of it', async () => {
    // Each look at the clock is later than the one before.
    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => ++now);
    await loadAlike(120);
    await each(1, 27, (row) => accept(row));
    const end = (row: number): Promise<unknown> => finish(row, { failure: BLOCKED });
    await each(1, 20, end);
    await expectControl('paused');
    await ledger.setControl('b', 'running');
    await each(21, 25, end);
    await each(28, 46, block);
    await expectControl('running');
    // A result of before does not count either.
    await finish(26, { file: FILE });
    await trouble(27);
    await trouble(27);
    await expectControl('running');
    await block(47);
    await expectControl('paused');
  });

  it('pauses over results that cannot be fetched, in rows that still run: at the second failure of each', async () => {
    await loadAlike(30);
    await each(1, 20, async (row) => {
      await accept(row);
      await trouble(row);
    });
    await each(1, 19, (row) => trouble(row));
    await expectControl('running');
    await trouble(20);
    await expectControl('paused');
  });
});

describe('the commonest reasons', () => {
  it('count rows that ended and rows that run, and follow every change', async () => {
    await loadAlike(30, NEVER_HALT);
    await each(1, 3, block);
    await fail(4, HOARSE);
    await accept(5);
    await trouble(5);
    const blocked = { class: 'ResultGone', cause: '403 from cdn.example', ended: 3 };
    const hoarse = { class: 'JobFailed', cause: 'hoarse', open: 0, ended: 1 };
    expect(await ledger.commonReasons('b', 5)).toEqual([{ ...blocked, open: 1 }, hoarse]);
    expect(await ledger.commonReasons('b', 1)).toHaveLength(1);
    await finish(5, {}, WAITING);
    expect(await ledger.commonReasons('b', 5)).toEqual([{ ...blocked, open: 0 }, hoarse]);
    await redrive([1, 2, 3]);
    expect(await ledger.commonReasons('b', 5)).toEqual([hoarse]);
  });

  it('leave out rows that the budget kept back', async () => {
    await loadAlike(3);
    await ledger.tune('b', { budget: 1 });
    expect(await ask(1)).toBe('over-budget');
    expect((await ledger.counts('b')).outcomes.skipped).toBe(3);
    expect(await ledger.commonReasons('b', 5)).toEqual([]);
  });
});
