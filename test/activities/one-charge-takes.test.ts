/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { RedriveChoice } from '../../ledger/takes/redrive.ts';
import { waitFor } from '../support/wait-for.ts';
import { nextMoveFor } from '../../activities/attempt.ts';
import type { FencedAttempt } from '../../contract/batch.ts';
import { inside } from '../ledger/inside.ts';
import { claimAnew, redriveNow } from '../ledger/setup.ts';
import { ANN } from '../support/ann.ts';
import { BATCH, keyOf, tts, dub, type Rule } from './rows.ts';
import { adopt, movableClock, type Worker } from './worker.ts';
import { begin, type World, type Filling } from './world.ts';

/** New takes of docs/decisions/one-charge.md: by a person, by `--retakes` and by `--on-unknown`. */

/** The first jobs fail. */
const fails = (times = 1): Rule => ({ on: 'create', fault: { kind: 'job-fails', message: 'hoarse' }, times });
const TAKE_2 = keyOf(1, 1, 'speech', 2);

/** A person's wish to have a row again, as it was seen at take 1. */
function again(row: number, reason: 'redrive' | 'resubmitted' = 'redrive'): Omit<RedriveChoice, 'outcome'> {
  return { row, take: 1, how: { type: 'pay', fromStep: 'speech', reason } };
}

/** The attempts of a row as words, with their takes. */
async function attemptsOf(world: World, row = 1): Promise<string[]> {
  const { charges } = await world.row(row);
  return charges.map(({ step, take, attempt, state }) => `${step} ${take}.${attempt} ${state}`);
}

/** A row whose answer is held back in its process, and which another worker has given up as unknown. */
async function withLateAnswer(
  wanted: Filling = {},
): Promise<{ world: World; other: Worker; late: Promise<unknown>; answer: () => void }> {
  const { world, worker: other } = await begin([tts()], { wanted });
  const { ended: late, release: answer } = await world.stopAt('after-answer');
  await other.reconcile(keyOf(1));
  return { world, other, late, answer };
}

describe('one charge: takes', () => {
  it('an attempt of an earlier take is asked for', async () => {
    const { world, worker } = await begin([tts()], { rules: [fails()] });
    await worker.drive(1);
    expect(await world.outcomes()).toEqual(['failed']);
    expect(await redriveNow(world.ledger, BATCH, [again(1)])).toEqual({ rows: [1], left: [] });
    const due = { type: 'submit', at: { row: 1, step: 'speech', take: 2, attempt: 1 } };
    // The one that was made, the next one, and one that cannot be.
    for (const attempt of [1, 2, 5]) {
      expect((await worker.submit(keyOf(1, attempt))).next).toEqual(due);
      expect((await worker.reconcile(keyOf(1, attempt))).next).toEqual(due);
    }
    expect(await world.paidRequests()).toBe(1);
    await worker.drive(1);
    for (const attempt of [1, 2]) expect((await worker.submit(keyOf(1, attempt))).next).toEqual({ type: 'ended' });
    expect(await attemptsOf(world)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
    const file = { key: `${await world.stem(1, 'speech', 2)}.mp3` };
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', file });
    expect(world.charges()).toHaveLength(2);
  });

  it('an answer comes after the user resubmitted', async () => {
    const { world, other, late, answer } = await withLateAnswer();
    expect(await world.outcomes()).toEqual(['unknown']);
    await redriveNow(world.ledger, BATCH, [again(1, 'resubmitted')]);
    const waits = { type: 'wait', at: { row: 1, step: 'speech', take: 2, attempt: 1 } };
    expect(await other.submit(TAKE_2)).toEqual({ verdict: 'accepted', next: waits });
    answer();
    // It is news about money; the row goes on with what the user paid for since.
    expect(await late).toEqual({ verdict: 'accepted', next: waits });
    expect(await attemptsOf(world)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
    await other.drive(1);
    const file = { key: `${await world.stem(1, 'speech', 2)}.mp3` };
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', file });
    expect(await world.ledger.money(BATCH)).toMatchObject({ charged: 14, uncertain: 0 });
    expect(world.charges()).toHaveLength(2);
  });

  it('two redrives at once', async () => {
    const { world, worker } = await begin([tts()], { rules: [fails()] });
    const workers = [worker, await world.worker()];
    await worker.drive(1);
    const answers = await Promise.all(workers.map(({ deps }) => redriveNow(deps.ledger, BATCH, [again(1)])));
    expect(answers.map(({ rows, left }) => `${rows.length} ${left.length}`).sort()).toEqual(['0 1', '1 0']);
    await Promise.all(workers.map((each) => each.drive(1)));
    expect(await attemptsOf(world)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
    expect(world.charges()).toHaveLength(2);
  });

  it('redriven while a lane still has the row', async () => {
    for (const onUnknown of ['hold', 'resubmit'] as const) {
      const { world, worker: other } = await begin([tts()], { wanted: { onUnknown, budget: 1 } });
      const { ledger } = world;
      const claim = async (lane: number): Promise<FencedAttempt> => {
        const { rows } = await claimAnew(ledger, { lane, limit: 1 });
        const next = rows[0] === undefined ? undefined : nextMoveFor(rows[0].row, rows[0]);
        if (next === undefined || next.type === 'ended') throw new Error('the row was not given out');
        return { batch: BATCH, ...next.at };
      };
      // It waits in its lane; the budget ends it there, and the user wants it after all.
      const stale = await claim(2);
      await ledger.giveUp(keyOf(1), { outcome: 'skipped' });
      await ledger.tune(BATCH, { budget: null });
      await redriveNow(ledger, BATCH, [again(1)]);
      const live = await claim(1);
      expect(live).toMatchObject({ take: 2 });
      const { ended, release } = await world.stopAt('after-answer', (worker) => worker.submit(live));

      // Whatever the first lane does with what it has, it gets nothing to go on with, and the request on the wire is left alone.
      const { fence } = stale;
      if (fence === undefined) throw new Error('a claim must say by what the row is held');
      for (const key of [stale, { ...live, fence }]) {
        expect((await other.submit(key)).next).toEqual({ type: 'ended' });
        expect(await other.reconcile(key)).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
        expect(await other.slice([key], 10)).toMatchObject({ settled: [{ row: 1, next: { type: 'ended' } }] });
      }
      release();
      expect(await ended).toMatchObject({ verdict: 'accepted', next: { type: 'wait', at: { fence: live.fence } } });
      expect(await attemptsOf(world)).toEqual(['speech 2.1 accepted']);
      expect(world.charges()).toHaveLength(1);
    }
  });

  it('redrive while the old request is on the wire', async () => {
    const { world, worker: other } = await begin([tts()]);
    const { ended, release } = await world.stopAt('after-intent');
    for (const reason of ['redrive', 'resubmitted'] as const)
      expect(await redriveNow(world.ledger, BATCH, [again(1, reason)])).toEqual({ rows: [], left: [1] });
    // Once it was given up, it may still have been taken: only a word of the user's makes a new take.
    await other.reconcile(keyOf(1));
    await expect(redriveNow(world.ledger, BATCH, [again(1)])).rejects.toThrow('may have been charged');
    release();
    await ended;
    await other.drive(1);
    expect(await attemptsOf(world)).toEqual(['speech 1.1 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('retake and kill between the failure and the new take', async () => {
    const { world, worker: other } = await begin([tts('one'), tts('two')], {
      rules: [fails(2)],
      wanted: { retakes: 1 },
    });
    for (const row of [1, 2]) {
      // Dead before the failure is recorded, or right after: the new take is in the same transaction.
      const killed = await world.worker({
        ledger: ({ finishJob }) => ({
          finishJob: async (...end) => {
            if (row === 2) await finishJob(...end);
            return world.never();
          },
        }),
      });
      await killed.submit(keyOf(row));
      void killed.drive(row);
      await waitFor(async () => (await world.row(2)).take === 2 || row === 1);
    }
    expect([(await world.row(1)).take, (await world.row(2)).take]).toEqual([1, 2]);
    for (const row of [1, 2]) {
      await other.drive(row);
      expect(await attemptsOf(world, row)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
      expect(await world.row(row)).toMatchObject({ outcome: 'succeeded', autoTakes: 1 });
    }
    expect(world.charges()).toHaveLength(4);
  });

  it('zombie of an earlier take', async () => {
    const { world, worker: other } = await begin([tts('before'), tts('after')], { rules: [fails()] });
    const clock = movableClock();
    const early = await world.stopAt('before-intent', undefined, { clock });
    const late = await world.stopAt('after-intent', (worker) => worker.submit(keyOf(2)), { clock });
    // The first row's zombie has sent nothing; its row fails without it. The second's may have, for all that is known.
    for (const row of [1, 2]) await other.reconcile(keyOf(row));
    await other.drive(1);
    await redriveNow(world.ledger, BATCH, [again(1), again(2, 'resubmitted')]);
    await other.drive(1, 2);
    expect(world.charges()).toHaveLength(3);
    clock.move({ wall: 60_000, monotonic: 60_000 });
    for (const zombie of [early, late]) zombie.release();
    expect((await early.ended).next).toEqual({ type: 'ended' });
    expect(await late.ended).toEqual({ verdict: 'not-accepted', next: { type: 'ended' } });
    expect(await attemptsOf(world, 1)).toEqual(['speech 1.1 revoked', 'speech 1.2 accepted', 'speech 2.1 accepted']);
    expect(await attemptsOf(world, 2)).toEqual(['speech 1.1 not-accepted', 'speech 2.1 accepted']);
    expect(await world.outcomes()).toEqual(['succeeded', 'succeeded']);
    expect(await world.paidRequests()).toBe(3);
    expect((await world.ledger.money(BATCH)).uncertain).toBe(0);
  });

  it('resubmitted by itself, then the answer comes', async () => {
    const { world, other, late, answer } = await withLateAnswer({ onUnknown: 'resubmit' });
    expect(await world.row()).toMatchObject({ outcome: null, take: 2, autoTakes: 1 });
    expect(await other.submit(TAKE_2)).toMatchObject({ verdict: 'accepted' });
    answer();
    expect(await late).toMatchObject({ next: { type: 'wait', at: { take: 2 } } });
    await other.drive(1);
    expect(await world.outcomes()).toEqual(['succeeded']);
    // Two charges, as `--on-unknown resubmit` accepts; both are known by now.
    expect(world.charges()).toHaveLength(2);
    expect((await world.ledger.money(BATCH)).uncertain).toBe(0);
  });

  it('resubmitted by itself, and lost again each time', async () => {
    const { world, worker } = await begin([tts(), dub()], {
      rules: [{ on: 'create', fault: 'accept-then-500' }],
      wanted: { onUnknown: 'resubmit' },
    });
    for (const row of [1, 2]) {
      expect(await worker.drive(row)).toEqual({ type: 'ended' });
      expect(await attemptsOf(world, row)).toEqual([1, 2, 3].map((take) => `speech ${take}.1 unknown`));
      expect(await world.row(row)).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown' } });
    }
    expect(world.charges()).toHaveLength(6);
  });

  it('adopted by hand while the late answer arrives', async () => {
    for (const order of ['hand first', 'answer first', 'at once'] as const) {
      const { world, other, late, answer } = await withLateAnswer();
      const jobId = world.charges()[0]?.jobId ?? '';
      if (order === 'hand first') expect(await adopt(other.deps, 1, jobId)).toMatchObject({ type: 'adopted' });
      answer();
      if (order === 'answer first') await late;
      // Whichever was first, the row has the job that the person named.
      if (order !== 'hand first') expect(await adopt(other.deps, 1, jobId)).toMatchObject({ type: 'adopted' });
      expect(await late).toMatchObject({ next: { type: 'wait', at: { take: 1 } } });
      await other.drive(1);
      expect(await world.row()).toMatchObject({ outcome: 'succeeded', charges: [{ state: 'accepted', jobId }] });
      expect(await world.ledger.money(BATCH)).toMatchObject({ charged: 7, uncertain: 0 });
      expect(world.charges()).toHaveLength(1);
    }
  });

  it('the late answer names another job than the one that a person has given to the row', async () => {
    for (const isOfACopy of [false, true]) {
      const { world, late, answer } = await withLateAnswer();
      expect(await world.ledger.decide(keyOf(1), { type: 'adopted', jobId: 'rec-77' }, ANN)).toBe(true);
      // What a copy has in its place was sent by another process.
      if (isOfACopy) await inside(world.ledger, (db) => db.updateTable('charges').set({ owner: 'other' }).execute());
      answer();
      expect(await late).toMatchObject({ next: { type: 'wait' } });
      const { unplaced } = await world.ledger.clearDoubts(ANN);
      const noted = await world.ledger.actionsOf({ kinds: ['note-job'] });
      expect([unplaced, noted].map(({ length }) => length)).toEqual(isOfACopy ? [1, 0] : [0, 1]);
    }
  });

  it('the late answer names a job that another row was given', async () => {
    const { world, worker: other } = await begin([tts('The first one'), tts('The other one')], {
      rules: [{ on: 'create', match: { text: 'other' }, fault: { kind: 'hang', accepted: true } }],
    });
    const late = await world.stopAt('after-answer');
    void (await world.worker()).submit(keyOf(2));
    await waitFor(() => world.charges().length === 2);
    for (const row of [1, 2]) await other.reconcile(keyOf(row));
    const jobId = world.charges()[0]?.jobId ?? '';
    expect(await adopt(other.deps, 2, jobId)).toMatchObject({ type: 'adopted' });
    late.release();
    await late.ended;
    await other.drive(2);
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', charges: [{ state: 'unknown', jobId: null }] });
    expect((await world.row(1)).failure?.message).toContain(`named job ${jobId}, which row 2 of batch "b" has`);
    expect(await world.row(2)).toMatchObject({ outcome: 'succeeded', charges: [{ state: 'accepted', jobId }] });
    // The bill of the API, and no more.
    const { charged, uncertain } = await world.ledger.money(BATCH);
    expect([charged, uncertain]).toEqual(world.charges().map(({ credits }) => credits));
  });
});
