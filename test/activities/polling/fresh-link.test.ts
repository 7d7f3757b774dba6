/** @slow */
import { describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '../../support/wait-for.ts';
import { INTENT, keyOf, tts, dub, FORGOTTEN } from '../rows.ts';
import { movableClock, type Worker } from '../worker.ts';
import { begin, type World, type Beginning } from '../world.ts';

const LIP_SYNC = keyOf(1, 1, 'lip-sync');
const IS_DOWN = { on: 'read', operation: 'speech-job', fault: { kind: 'status', status: 503 } } as const;

/** A dub whose speech is finished, so that its lip-sync is next; and another row. */
async function withSpeech(options: Beginning = {}): Promise<{ readonly world: World; readonly worker: Worker }> {
  const { world, worker } = await begin([dub(), tts()], options);
  await worker.submit(keyOf(1));
  await worker.wait([[1]]);
  return { world, worker };
}

describe('the link of a chain', () => {
  it('is read anew right before its lip-sync is paid for', async () => {
    const { world, worker } = await withSpeech();
    const { api } = worker.deps;
    const [reads, sends] = [jest.spyOn(api, 'readJob'), jest.spyOn(api, 'send')];
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    const [speech, video] = world.charges();
    expect([reads.mock.calls[0]?.[1], sends.mock.calls.length]).toEqual([speech?.jobId, 1]);
    expect(reads.mock.invocationCallOrder[0]).toBeLessThan(sends.mock.invocationCallOrder[0] ?? 0);
    expect(video?.audioUrl).toContain(`/results/${speech?.jobId ?? ''}`);
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', file: { key: `${await world.stem(1, 'lip-sync')}.mp4` } });
    const finished = [expect.any(Number), expect.any(Number)] as unknown[];
    expect(row.charges.map(({ finishedAt }) => finishedAt)).toEqual(finished);
  });

  it('is read after the wait for a slot, so that it is fresh when it is sent', async () => {
    const { world, worker } = await withSpeech({ service: { linkLifeMs: 800 } });
    // The API asks everybody to wait for longer than a link lives.
    await world.plan({ on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 429, retryAfter: 1.5 } });
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'not-accepted' });
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row()).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(2);
  });

  it('is read again where others used up the in-flight limit for a while', async () => {
    const clock = movableClock();
    const { world, worker } = await withSpeech({ clock, wanted: { limits: { submits: 1 } } });
    await world.ledger.intend(keyOf(2), { ...INTENT, maxSending: 1 });
    const before = await world.reads();
    const submitting = worker.submit(LIP_SYNC);
    await waitFor(async () => (await world.reads()) === before + 1);
    clock.move({ monotonic: 2_100, wall: 2_100 });
    await waitFor(async () => (await world.reads()) === before + 2);
    await world.ledger.settle(keyOf(2), { verdict: 'rejected' }, { outcome: 'failed' });
    expect(await submitting).toMatchObject({ verdict: 'accepted' });
    expect(await world.reads()).toBe(before + 2);
  });

  it('that got old and cannot be read again gives the turn of its request back', async () => {
    const clock = movableClock();
    let turnAt = 0;
    const { world, worker } = await withSpeech({
      clock,
      atFaultPoint: (moment) => {
        if (moment !== 'before-intent') return;
        clock.move({ monotonic: 2_100, wall: 2_100 });
        turnAt = clock.now().monotonic;
      },
    });
    await world.plan({ ...IS_DOWN, match: { nth: 2 } });
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'deferred', next: { type: 'submit' } });
    expect(worker.deps.pace.usedBefore('create', turnAt + 900)).toBe(0);
    expect(world.charges()).toHaveLength(1);
  });

  it('that died in between costs a failed job, whose words are kept, and nothing twice', async () => {
    const { world, worker } = await withSpeech();
    // Each time: a slow machine reads it again, because the link got old.
    await world.plan({ on: 'read', operation: 'speech-job', fault: 'dead-link' });
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'accepted' });
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    const failure = { class: 'JobFailed', message: expect.stringContaining('link to the audio had expired') };
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure });
    expect(world.charges()).toHaveLength(2);
  });

  it('is asked for again where the API is down for a moment', async () => {
    const { world, worker } = await withSpeech();
    await world.plan({ ...IS_DOWN, times: 1 });
    expect(await worker.submit(LIP_SYNC)).toEqual({
      verdict: 'deferred',
      next: { type: 'submit', at: { row: 1, step: 'lip-sync', take: 1, attempt: 1 } },
    });
    expect(await world.attempts()).toEqual(['speech 1 accepted']);
    await worker.drive(1);
    expect((await world.row()).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(2);
  });

  it.each([
    ['a finished speech comes without one', { on: 'read', operation: 'speech-job', fault: 'unknown-status' }],
    ['the API no longer knows the speech', FORGOTTEN],
  ] as const)('is asked for again where %s, but not for ever, and the lip-sync is not paid for', async (_, rule) => {
    const { world, worker } = await withSpeech();
    await world.plan(rule);
    for (let read = 1; read <= 5; read++) expect((await worker.submit(LIP_SYNC)).verdict).toBe('deferred');
    expect(await worker.submit(LIP_SYNC)).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
    const failure = { class: 'ResultGone', message: expect.stringContaining('The lip-sync was not paid for.') };
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure });
    expect(world.charges()).toHaveLength(1);
  });

  it('that is read with a refused token pauses the batch, and the lane is told', async () => {
    const { world, worker } = await withSpeech();
    await world.change('settings', { token: 'another' });
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'deferred' });
    await world.change('settings', { token: world.simulator.token });
    await worker.control('running');
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row()).outcome).toBe('succeeded');
  });
});
