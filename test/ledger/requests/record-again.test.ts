import { beforeEach, expect, it } from '@jest/globals';
import { accept, finish, GONE, redrive, WAIT } from '../actions.ts';
import { chargesOf, rowOf } from '../readings.ts';
import { aKey, INTENT, ledger, ledgerForEachTest, load } from '../setup.ts';

/** What a process recorded is recorded again, because a copy of the ledger took its place. */

const failure = GONE;
const REQUEST = {
  ...{ key: aKey(1), intent: INTENT, at: 1 },
  verdict: [{ verdict: 'accepted', jobId: 'j1' }, { state: 'processing' }],
  end: [aKey(1), { failure }, { outcome: 'failed', failure }],
} as const;

ledgerForEachTest();
beforeEach(() => load(3));

it('a request that the copy lacks is there again with its job and its end', async () => {
  expect(await ledger.recordAgain([REQUEST])).toBe(1);
  expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure });
  expect(await chargesOf(1)).toMatchObject([{ jobId: 'j1', intentAt: 1, finishedAt: expect.any(Number) }]);
  expect(await ledger.recordAgain([REQUEST])).toBe(0);
});

it('a row that a person has run again since stays open: its job is read again, and its former end is no news', async () => {
  await accept(1);
  await finish(1, { failure });
  expect(await redrive(1, WAIT)).toMatchObject({ rows: [1] });
  expect(await ledger.recordAgain([REQUEST])).toBe(0);
  expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing' });
  expect(await chargesOf(1)).toMatchObject([{ finishedAt: null }]);
});
