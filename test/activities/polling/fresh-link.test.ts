/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { FaultPlan } from '../../../simulator/start-simulator.ts';
import { openFront } from '../front.ts';
import { waitFor } from '../../support/wait-for.ts';
import { dub, keyOf, tts } from '../rows.ts';
import { reads } from '../with-job.ts';
import { movableClock } from '../worker.ts';
import { createWorld, type World, type WorkerOptions } from '../world.ts';

const LIP_SYNC = keyOf(1, 1, 'lip-sync');

/** A dub whose speech is finished, so that its lip-sync is next. */
async function withSpeech(
  world: World,
  options: WorkerOptions & { readonly wanted?: Parameters<World['fill']>[1] } = {},
): Promise<Awaited<ReturnType<World['worker']>>> {
  const { wanted, ...rest } = options;
  await world.fill([dub()], wanted);
  const worker = await world.worker(rest);
  await worker.submit(keyOf(1));
  await worker.wait([[1]]);
  return worker;
}

async function plan(world: World, rules: NonNullable<FaultPlan['rules']>): Promise<void> {
  await world.change('plan', { rules });
}

describe('the link of a chain', () => {
  it('is read anew right before its lip-sync is paid for', async () => {
    const world = await createWorld();
    const front = await openFront(world);
    const { apiUrl } = front;
    const worker = await withSpeech(world, { apiUrl, wanted: { apiUrl } });
    const before = front.seen().length;
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    const speech = world.charges()[0]?.jobId ?? '';
    expect(front.seen().slice(before, before + 2)).toEqual([
      `GET /speech/tts/jobs/${speech}`,
      'POST /media/lip-sync/jobs',
    ]);
    expect(await world.row(1)).toMatchObject({
      outcome: 'succeeded',
      file: { key: `${await world.stem(1, 'lip-sync')}.mp4` },
    });
    expect((await world.row(1)).charges.map(({ step, finishedAt }) => [step, finishedAt !== null])).toEqual([
      ['speech', true],
      ['lip-sync', true],
    ]);
    expect(world.charges()[1]?.audioUrl).toContain(`/results/${speech}`);
  });

  it('is read after the wait for a slot, so that it is fresh when it is sent', async () => {
    const world = await createWorld({ linkLifeMs: 800, jobMs: [0, 0] });
    const worker = await withSpeech(world);
    // The API asks everybody to wait for longer than a link lives.
    await plan(world, [{ on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 429, retryAfter: 1.5 } }]);
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'not-accepted' });
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(2);
  });

  it('is read again where others used up the in-flight limit for a while', async () => {
    const world = await createWorld();
    const clock = movableClock();
    await world.fill([dub(), tts()], { limits: { submits: 1 } });
    const worker = await world.worker({ clock });
    await worker.submit(keyOf(1));
    await worker.wait([[1]]);
    const { ledger } = worker.deps;
    await ledger.intend(keyOf(2), { quoted: 1, quotedRest: 0, owner: 'elsewhere', maxSending: 1 });
    const before = await reads(world);
    const submitting = worker.submit(LIP_SYNC);
    await waitFor(async () => (await reads(world)) === before + 1);
    clock.move({ monotonic: 2_100, wall: 2_100 });
    await waitFor(async () => (await reads(world)) === before + 2);
    await ledger.settle(keyOf(2), { verdict: 'rejected' }, { outcome: 'failed' });
    expect(await submitting).toMatchObject({ verdict: 'accepted' });
    expect(await reads(world)).toBe(before + 2);
  });

  it('that got old and cannot be read again gives the turn of its request back', async () => {
    const world = await createWorld();
    const clock = movableClock();
    let turnAt = 0;
    const worker = await withSpeech(world, {
      clock,
      atFaultPoint: (moment) => {
        if (moment !== 'before-intent') return;
        clock.move({ monotonic: 2_100, wall: 2_100 });
        turnAt = clock.now().monotonic;
      },
    });
    const isDown = { on: 'read', operation: 'speech-job', fault: { kind: 'status', status: 503 } } as const;
    await plan(world, [{ ...isDown, match: { nth: 2 } }]);
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'deferred', next: { type: 'submit' } });
    expect(worker.deps.pace.usedBefore('create', turnAt + 900)).toBe(0);
    expect(world.charges()).toHaveLength(1);
  });

  it('that died in between costs a failed job, whose words are kept, and nothing twice', async () => {
    const world = await createWorld();
    const worker = await withSpeech(world);
    // Each time: a slow machine reads it again, because the link got old.
    await plan(world, [{ on: 'read', operation: 'speech-job', fault: 'dead-link' }]);
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'accepted' });
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'JobFailed' } });
    expect((await world.row(1)).failure?.message).toContain('link to the audio had expired');
    expect(world.charges()).toHaveLength(2);
  });

  it('is asked for again where the API is down for a moment', async () => {
    const world = await createWorld();
    const worker = await withSpeech(world);
    await plan(world, [{ on: 'read', operation: 'speech-job', fault: { kind: 'status', status: 503 }, times: 1 }]);
    expect(await worker.submit(LIP_SYNC)).toEqual({
      verdict: 'deferred',
      next: { type: 'submit', at: { row: 1, step: 'lip-sync', take: 1, attempt: 1 } },
    });
    expect(await world.attempts(1)).toEqual(['speech 1 accepted']);
    await worker.drive(1);
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(2);
  });

  it('is asked for again where a finished speech comes without one, but not for ever', async () => {
    const world = await createWorld();
    const worker = await withSpeech(world);
    await plan(world, [{ on: 'read', operation: 'speech-job', fault: 'unknown-status' }]);
    for (let read = 1; read <= 5; read++) expect((await worker.submit(LIP_SYNC)).verdict).toBe('deferred');
    expect(await worker.submit(LIP_SYNC)).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
    const { outcome, failure } = await world.row(1);
    expect(outcome).toBe('failed');
    expect(failure?.class).toBe('ResultGone');
    expect(failure?.message).toContain('The lip-sync was not paid for.');
    expect(world.charges()).toHaveLength(1);
  });

  it('of a speech that the API no longer knows ends the row, unpaid', async () => {
    const world = await createWorld();
    const worker = await withSpeech(world);
    await plan(world, [{ on: 'read', fault: { kind: 'status', status: 404 } }]);
    for (let read = 1; read <= 5; read++) expect((await worker.submit(LIP_SYNC)).verdict).toBe('deferred');
    expect(await worker.submit(LIP_SYNC)).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
    expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone', status: 404 } });
    expect(world.charges()).toHaveLength(1);
  });

  it('that is read with a refused token pauses the batch, and the lane is told', async () => {
    const world = await createWorld();
    const worker = await withSpeech(world);
    await world.change('settings', { token: 'another' });
    expect(await worker.submit(LIP_SYNC)).toMatchObject({ verdict: 'deferred' });
    await world.change('settings', { token: world.simulator.token });
    await worker.control('running');
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
  });
});
