import { expect, it } from '@jest/globals';
import { CopyInDoubt } from '../../../ledger/errors.ts';
import { accept, adopt, answer, ask, complete, defer, FILE, finish, lose, REFUSED } from '../actions.ts';
import { send, settle } from '../actions.ts';
import { batchOf, chargesOf, close, money, rowOf } from '../readings.ts';
import { aKey, INTENT, ledger, ledgerForEachTest, load } from '../setup.ts';
import { ANN } from '../../support/ann.ts';

/** What a verdict records of an attempt and of its row. */

ledgerForEachTest(() => load(3));

it('a verdict charges the API figure where there is one, else the quote, and nothing for refusals', async () => {
  await accept(1, { requestId: 'q' });
  await complete(2, { credits: 7, file: FILE });
  await send(3);
  const rejected = { verdict: 'rejected', credits: 9, failure: REFUSED } as const;
  await settle(3, rejected, { outcome: 'failed', failure: REFUSED });
  const running = { charged: 2.5, chargedFrom: 'quote', jobId: 'j1', requestId: 'q', finishedAt: null };
  expect(await chargesOf(1)).toMatchObject([running]);
  const done = { charged: 7, chargedFrom: 'api', file: FILE, finishedAt: expect.any(Number) };
  expect(await chargesOf(2)).toMatchObject([done]);
  expect(await chargesOf(3)).toMatchObject([{ charged: null, chargedFrom: null, failure: REFUSED }]);
  expect(await rowOf(2)).toMatchObject({ outcome: 'succeeded', file: FILE, failure: null });
  expect(await rowOf(3)).toMatchObject({ outcome: 'failed', failure: REFUSED, file: null });
  expect(await money()).toMatchObject({ charged: 9.5, reserved: 0, uncertain: 0, estimated: true });
});

it('a verdict charges the attempt that it names, and the budget of the batch with what that cost in the end', async () => {
  await ledger.tune('b', { budget: 11.5 });
  await defer(1);
  await accept(aKey(1, 2), { credits: 7 });
  await finish(aKey(1, 2), { credits: 9 });
  const charges = [
    { state: 'not-accepted', charged: null },
    { state: 'accepted', charged: 9 },
  ];
  expect(await chargesOf(1)).toMatchObject(charges);
  // 2.5 are left, to the last credit, and a request may cost 3.6 times its quote.
  await accept(2, { credits: 2.5 }, { quoted: 2.5 / 3.6 });
  expect(await ask(3, { quoted: 0.1 })).toBe('over-budget');
});

it('a verdict does nothing to an attempt that has its verdict', async () => {
  await accept(1);
  expect(await settle(1, { verdict: 'unknown' }, { outcome: 'unknown' })).toBe(false);
  expect(await chargesOf(1)).toMatchObject([{ state: 'accepted', jobId: 'j1' }]);
  expect(await rowOf(1)).toMatchObject({ state: 'processing', outcome: null });
});

it('an answer that comes late opens an unknown row and its closed batch again, for the next claim', async () => {
  const lease = await ledger.acquireLane({ batch: 'b', run: 'run', lane: 1, owner: 'w' });
  await ledger.claimRows({ ...lease, limit: 5 });
  await lose(1);
  for (const row of [2, 3]) await ledger.giveUp(aKey(row), { outcome: 'cancelled' });
  await close();
  expect(await settle(1, { verdict: 'unknown' }, { outcome: 'unknown' })).toBe(false);
  expect(await answer(1)).toBe(true);
  expect(await rowOf(1)).toMatchObject({ state: 'processing', outcome: null, failure: null, endedAt: null });
  expect(await batchOf()).toMatchObject({ state: 'open', closedAt: null });
  expect(await ledger.claimRows({ ...lease, limit: 5 })).toMatchObject({ rows: [{ row: { row: 1 } }] });
});

it('a job from the list is adopted by one of two rows that look alike', async () => {
  const adopted = { jobId: 'j1', isAdopted: true };
  for (const row of [1, 2]) await send(row);
  expect([await answer(1, adopted), await answer(2, adopted)]).toEqual([true, false]);
  expect(await chargesOf(1)).toMatchObject([{ state: 'accepted', jobId: 'j1' }]);
  expect(await chargesOf(2)).toMatchObject([{ state: 'sending', jobId: null }]);
});

it('a late answer that names another job than the one that was adopted meanwhile goes on record, and holds up nothing', async () => {
  await send(1);
  expect(await answer(1, { jobId: 'rec-77', isAdopted: true })).toBe(true);
  await lose(2);
  expect(await adopt(2, 'rec-78')).toBe(true);
  for (const row of [1, 1, 2]) expect(await answer(row, { jobId: `task-${row}`, owner: INTENT.owner })).toBe(false);
  for (const control of ['paused', 'running'] as const) expect(await ledger.setControl('b', control)).toBe(control);
  expect(await ledger.actionsOf({ batch: 'b', kinds: ['note-job'] })).toMatchObject([
    { actor: { type: 'voxbatch' }, rows: [[1, 1]], details: { jobId: 'task-1' } },
    { rows: [[2, 2]], details: { jobId: 'task-2' }, reason: expect.stringContaining('has job rec-78') },
  ]);
  expect(await chargesOf(1)).toMatchObject([{ state: 'accepted', jobId: 'rec-77' }]);
});

it('a job that is named for a request of another sender has no place: a copy of the ledger lacked the first request', async () => {
  await accept(1, { jobId: 'j1' });
  await send(2);
  for (const row of [1, 2]) await answer(row, { jobId: `lost-${row}`, owner: 'w2' });
  await answer(2, { jobId: 'j2', owner: INTENT.owner });
  await ledger.setControl('b', 'paused');
  await expect(ledger.setControl('b', 'running')).rejects.toThrow(CopyInDoubt);
  const { unplaced } = await ledger.clearDoubts(ANN);
  expect(unplaced.map(({ jobId }) => jobId).toSorted()).toEqual(['j2', 'lost-1']);
  expect(await ledger.actionsOf({ batch: 'b', kinds: ['compare-copy'] })).toMatchObject([{ actor: ANN.actor }]);
});
