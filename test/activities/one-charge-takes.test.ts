/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { RedriveChoice } from '../../ledger/takes/redrive.ts';
import { waitFor } from '../support/wait-for.ts';
import { moveAfter } from '../../activities/attempt.ts';
import type { FencedAttempt } from '../../contract/batch.ts';
import { adopt } from './adopt.ts';
import { BATCH, dub, keyOf, tts } from './rows.ts';
import { movableClock, SLICE_MS, type Worker } from './worker.ts';
import { createWorld, type World } from './world.ts';
import { claimAnew, redriveNow } from '../ledger/setup.ts';

/** New takes of docs/decisions/one-charge.md: by a person, by `--retakes` and by `--on-unknown`. */

const FAILS = { kind: 'job-fails', message: 'hoarse' } as const;
const take2 = (row: number, attempt = 1): ReturnType<typeof keyOf> => keyOf(row, attempt, 'speech', 2);

/** A person's wish to have a row again, as it was seen at take 1. */
function again(row: number, reason: 'redrive' | 'resubmitted' = 'redrive'): Omit<RedriveChoice, 'outcome'> {
  return { row, take: 1, how: { type: 'pay', fromStep: 'speech', reason } };
}

/** The attempts of a row as words, with their takes. */
async function attemptsOf(world: World, row: number): Promise<string[]> {
  const { charges } = await world.row(row);
  return charges.map(({ step, take, attempt, state }) => `${step} ${take}.${attempt} ${state}`);
}

/** A row whose answer is held back in its process, and which another worker has given up as unknown. */
async function withLateAnswer(
  wanted: Parameters<World['fill']>[1] = {},
): Promise<{ world: World; other: Worker; late: Promise<unknown>; answer: () => void }> {
  const world = await createWorld();
  await world.fill([tts()], wanted);
  const stop = world.holdAt('after-answer');
  const late = (await world.worker({ atFaultPoint: stop.atFaultPoint })).submit(keyOf(1));
  await stop.reached;
  const other = await world.worker();
  await other.reconcile(keyOf(1));
  const answer = (): void => {
    stop.release();
  };
  return { world, other, late, answer };
}

describe('one charge: takes', () => {
  it('an attempt of an earlier take is asked for', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: FAILS, times: 1 }] } });
    await world.fill([tts()]);
    const worker = await world.worker();
    await worker.drive(1);
    expect((await world.row(1)).outcome).toBe('failed');
    expect(await redriveNow(worker.deps.ledger, BATCH, [again(1)])).toEqual({ rows: [1], left: [] });
    const due = { type: 'submit', at: { row: 1, step: 'speech', take: 2, attempt: 1 } };
    // The one that was made, the next one, and one that cannot be.
    for (const attempt of [1, 2, 5]) {
      expect((await worker.submit(keyOf(1, attempt))).next).toEqual(due);
      expect((await worker.reconcile(keyOf(1, attempt))).next).toEqual(due);
    }
    expect(await world.paidRequests()).toBe(1);
    await worker.drive(1);
    for (const attempt of [1, 2]) expect((await worker.submit(keyOf(1, attempt))).next).toEqual({ type: 'ended' });
    expect(await attemptsOf(world, 1)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
    expect(await world.row(1)).toMatchObject({
      outcome: 'succeeded',
      file: { key: `${await world.stem(1, 'speech', 2)}.mp3` },
    });
    expect(world.charges()).toHaveLength(2);
  });

  it('an answer comes after the user resubmitted', async () => {
    const { world, other, late, answer } = await withLateAnswer();
    expect((await world.row(1)).outcome).toBe('unknown');
    await redriveNow(other.deps.ledger, BATCH, [again(1, 'resubmitted')]);
    const waits = { type: 'wait', at: { row: 1, step: 'speech', take: 2, attempt: 1 } };
    expect(await other.submit(take2(1))).toEqual({ verdict: 'accepted', next: waits });
    answer();
    // It is news about money; the row goes on with what the user paid for since.
    expect(await late).toEqual({ verdict: 'accepted', next: waits });
    expect(await attemptsOf(world, 1)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
    await other.drive(1);
    expect(await world.row(1)).toMatchObject({
      outcome: 'succeeded',
      file: { key: `${await world.stem(1, 'speech', 2)}.mp3` },
    });
    expect(await other.deps.ledger.money(BATCH)).toMatchObject({ charged: 14, uncertain: 0 });
    expect(world.charges()).toHaveLength(2);
  });

  it('two redrives at once', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: FAILS, times: 1 }] } });
    await world.fill([tts()]);
    const workers = await Promise.all([world.worker(), world.worker()]);
    await workers[0].drive(1);
    const answers = await Promise.all(workers.map(({ deps }) => redriveNow(deps.ledger, BATCH, [again(1)])));
    expect(answers.map(({ rows, left }) => [rows.length, left.length]).sort()).toEqual([
      [0, 1],
      [1, 0],
    ]);
    await Promise.all(workers.map((worker) => worker.drive(1)));
    expect(await attemptsOf(world, 1)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
    expect(world.charges()).toHaveLength(2);
  });

  it('redriven while a lane still has the row', async () => {
    for (const onUnknown of ['hold', 'resubmit'] as const) {
      const world = await createWorld();
      await world.fill([tts()], { onUnknown, budget: 1 });
      const { ledger } = (await world.worker()).deps;
      const claim = async (lane: number): Promise<FencedAttempt> => {
        const { rows } = await claimAnew(ledger, { lane, limit: 1 });
        const next = rows[0] === undefined ? undefined : moveAfter(rows[0].row, rows[0]);
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
      const stop = world.holdAt('after-answer');
      const sending = (await world.worker({ atFaultPoint: stop.atFaultPoint })).submit(live);
      await stop.reached;

      // Whatever the first lane does with what it has, it gets nothing to go on with, and the request on the wire is left alone.
      const other = await world.worker();
      const { fence } = stale;
      if (fence === undefined) throw new Error('a claim must say by what the row is held');
      for (const key of [stale, { ...live, fence }]) {
        expect((await other.submit(key)).next).toEqual({ type: 'ended' });
        expect(await other.reconcile(key)).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
        expect(await other.slice([key], 10)).toMatchObject({ settled: [{ row: 1, next: { type: 'ended' } }] });
      }
      stop.release();
      expect(await sending).toMatchObject({ verdict: 'accepted', next: { type: 'wait', at: { fence: live.fence } } });
      expect(await attemptsOf(world, 1)).toEqual(['speech 2.1 accepted']);
      expect(world.charges()).toHaveLength(1);
    }
  });

  it('redrive while the old request is on the wire', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const stop = world.holdAt('after-intent');
    const submitting = (await world.worker({ atFaultPoint: stop.atFaultPoint })).submit(keyOf(1));
    await stop.reached;
    const other = await world.worker();
    const { ledger } = other.deps;
    for (const reason of ['redrive', 'resubmitted'] as const) {
      expect(await redriveNow(ledger, BATCH, [again(1, reason)])).toEqual({ rows: [], left: [1] });
    }
    // Once it was given up, it may still have been taken: only a word of the user's makes a new take.
    await other.reconcile(keyOf(1));
    await expect(redriveNow(ledger, BATCH, [again(1)])).rejects.toThrow('may have been charged');
    stop.release();
    await submitting;
    await other.drive(1);
    expect(await attemptsOf(world, 1)).toEqual(['speech 1.1 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('retake and kill between the failure and the new take', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: FAILS, times: 2 }] } });
    await world.fill([tts('one'), tts('two')], { retakes: 1 });
    for (const row of [1, 2]) {
      // Dead before the failure is recorded, or right after: the new take is in the same transaction.
      const killed = await world.worker({
        change: ({ ledger }) => ({
          ledger: {
            ...ledger,
            finishJob: async (...end) => {
              if (row === 2) await ledger.finishJob(...end);
              return world.never<Awaited<ReturnType<typeof ledger.finishJob>>>();
            },
          },
        }),
      });
      await killed.submit(keyOf(row));
      const { next } = await killed.submit(keyOf(row));
      if (next.type !== 'wait') throw new Error(`expected a job, got ${next.type}`);
      void killed.slice([next.at], SLICE_MS);
      await waitFor(async () => (await world.row(2)).take === 2 || row === 1);
    }
    expect([(await world.row(1)).take, (await world.row(2)).take]).toEqual([1, 2]);
    const other = await world.worker();
    for (const row of [1, 2]) {
      await other.drive(row);
      expect(await attemptsOf(world, row)).toEqual(['speech 1.1 accepted', 'speech 2.1 accepted']);
      expect(await world.row(row)).toMatchObject({ outcome: 'succeeded', autoTakes: 1 });
    }
    expect(world.charges()).toHaveLength(4);
  });

  it('zombie of an earlier take', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: FAILS, times: 1 }] } });
    await world.fill([tts('before'), tts('after')]);
    const clock = movableClock();
    const [before, after] = [world.holdAt('before-intent'), world.holdAt('after-intent')];
    const early = (await world.worker({ atFaultPoint: before.atFaultPoint, clock })).submit(keyOf(1));
    const late = (await world.worker({ atFaultPoint: after.atFaultPoint, clock })).submit(keyOf(2));
    await Promise.all([before.reached, after.reached]);
    const other = await world.worker();
    const { ledger } = other.deps;
    // The first row's zombie has sent nothing; its row fails without it. The second's may have, for all that is known.
    for (const row of [1, 2]) await other.reconcile(keyOf(row));
    await other.drive(1);
    await redriveNow(ledger, BATCH, [again(1), again(2, 'resubmitted')]);
    for (const row of [1, 2]) await other.drive(row);
    expect(world.charges()).toHaveLength(3);
    clock.move({ wall: 60_000, monotonic: 60_000 });
    before.release();
    after.release();
    expect((await early).next).toEqual({ type: 'ended' });
    expect(await late).toEqual({ verdict: 'not-accepted', next: { type: 'ended' } });
    expect(await attemptsOf(world, 1)).toEqual(['speech 1.1 revoked', 'speech 1.2 accepted', 'speech 2.1 accepted']);
    expect(await attemptsOf(world, 2)).toEqual(['speech 1.1 not-accepted', 'speech 2.1 accepted']);
    for (const row of [1, 2]) expect((await world.row(row)).outcome).toBe('succeeded');
    expect(await world.paidRequests()).toBe(3);
    expect((await ledger.money(BATCH)).uncertain).toBe(0);
  });

  it('resubmitted by itself, then the answer comes', async () => {
    const { world, other, late, answer } = await withLateAnswer({ onUnknown: 'resubmit' });
    expect(await world.row(1)).toMatchObject({ outcome: null, take: 2, autoTakes: 1 });
    expect(await other.submit(take2(1))).toMatchObject({ verdict: 'accepted' });
    answer();
    expect(await late).toMatchObject({ next: { type: 'wait', at: { take: 2 } } });
    await other.drive(1);
    expect((await world.row(1)).outcome).toBe('succeeded');
    // Two charges, as `--on-unknown resubmit` accepts; both are known by now.
    expect(world.charges()).toHaveLength(2);
    expect((await other.deps.ledger.money(BATCH)).uncertain).toBe(0);
  });

  it('resubmitted by itself, and lost again each time', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: 'accept-then-500' }] } });
    await world.fill([tts(), dub()], { onUnknown: 'resubmit' });
    const worker = await world.worker();
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
      const byHand = async (): Promise<string> => (await adopt(other.deps, 1, jobId)).type;
      if (order === 'hand first') expect(await byHand()).toBe('adopted');
      answer();
      if (order === 'answer first') await late;
      // Whichever was first, the row has the job that the person named.
      if (order !== 'hand first') expect(await byHand()).toBe('adopted');
      expect(await late).toMatchObject({ next: { type: 'wait', at: { take: 1 } } });
      await other.drive(1);
      expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', charges: [{ state: 'accepted', jobId }] });
      expect(await other.deps.ledger.money(BATCH)).toMatchObject({ charged: 7, uncertain: 0 });
      expect(world.charges()).toHaveLength(1);
    }
  });

  it('the late answer names a job that another row was given', async () => {
    const lost = { on: 'create', match: { text: 'other' }, fault: { kind: 'hang', accepted: true } } as const;
    const world = await createWorld({ plan: { rules: [lost] } });
    await world.fill([tts('The first one'), tts('The other one')]);
    const stop = world.holdAt('after-answer');
    const late = (await world.worker({ atFaultPoint: stop.atFaultPoint })).submit(keyOf(1));
    await stop.reached;
    void (await world.worker()).submit(keyOf(2));
    await waitFor(() => world.charges().length === 2);
    const other = await world.worker();
    for (const row of [1, 2]) await other.reconcile(keyOf(row));
    const jobId = world.charges()[0]?.jobId ?? '';
    expect(await adopt(other.deps, 2, jobId)).toMatchObject({ type: 'adopted' });
    stop.release();
    await late;
    await other.drive(2);
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', charges: [{ state: 'unknown', jobId: null }] });
    expect((await world.row(1)).failure?.message).toContain(`named job ${jobId}, which row 2 of batch "b" has`);
    expect(await world.row(2)).toMatchObject({ outcome: 'succeeded', charges: [{ state: 'accepted', jobId }] });
    // The bill of the API, and no more.
    const { charged, uncertain } = await other.deps.ledger.money(BATCH);
    const [first, second] = world.charges().map(({ credits }) => credits);
    expect({ charged, uncertain }).toEqual({ charged: first, uncertain: second });
  });
});
