/** @slow */
import { describe, expect, it } from '@jest/globals';
import { openFront } from './front.ts';
import { BATCH, keyOf, stt, tts } from './rows.ts';
import { movableClock } from './worker.ts';
import { createWorld } from './world.ts';

describe('submit', () => {
  it.each([
    ['credits run out', { credits: 0 }, { credits: 1_000 }, { class: 'OutOfCredits', status: 402 }],
    ['the token is refused', { token: 'another' }, undefined, { class: 'BadToken', status: 401 }],
  ] as const)('pauses the batch when %s, and goes on after a resume', async (_name, bad, good, pauseReason) => {
    const world = await createWorld();
    await world.fill([tts()]);
    const worker = await world.worker();
    await world.change('settings', bad);
    expect(await worker.submit(keyOf(1))).toMatchObject({
      verdict: 'not-accepted',
      next: { type: 'submit', at: { attempt: 2 } },
    });
    expect(await worker.submit(keyOf(1, 2))).toMatchObject({ verdict: 'blocked' });
    expect(await worker.deps.ledger.findBatch(BATCH)).toMatchObject({ control: 'paused', pauseReason });
    await world.change('settings', good ?? { token: world.simulator.token });
    await worker.control('running');
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect(await world.attempts(1)).toEqual(['speech 1 not-accepted', 'speech 2 accepted']);
    expect((await worker.deps.ledger.findBatch(BATCH))?.pauseReason).toBeNull();
    expect(world.charges()).toHaveLength(1);
  });

  it('slows everybody down after a 429 and sends again as the next attempt', async () => {
    const fault = { kind: 'status', status: 429, retryAfter: 1 } as const;
    const world = await createWorld({ plan: { rules: [{ on: 'create', match: { nth: 1 }, fault }] } });
    await world.fill([tts(), tts('Another.')]);
    const [one, two] = [await world.worker(), await world.worker()];
    expect(await one.submit(keyOf(1))).toMatchObject({
      verdict: 'not-accepted',
      next: { type: 'submit', at: { attempt: 2 } },
    });
    expect((await world.row(1)).charges[0]?.failure).toMatchObject({ class: 'RateLimited', retryAfterMs: 1000 });
    await Promise.all([one.drive(1), two.drive(2)]);
    const { creates } = await world.statistics();
    expect(creates).toHaveLength(3);
    // The other worker, too, obeyed what only the first was told.
    for (const { at } of creates.slice(1)) expect(at - (creates[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
    expect(world.charges()).toHaveLength(2);
  });

  it.each([
    ['a 4xx', { kind: 'status', status: 422, message: 'The media cannot be read' }, 'The media cannot be read'],
    ['a 2xx whose body is an error', { kind: 'soft-error' }, 'The provider refused the request'],
  ] as const)('fails the row with the words of the API and its request id: %s', async (_name, fault, words) => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault }] }, shape: 'error.body=code-message' });
    await world.fill([tts(), stt()]);
    const worker = await world.worker();
    for (const key of [keyOf(1), keyOf(2, 1, 'transcription')]) {
      expect(await worker.submit(key)).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
      const { outcome, failure } = await world.row(key.row);
      expect(outcome).toBe('failed');
      expect(failure).toMatchObject({ class: 'BadRequest', requestId: expect.stringMatching(/^req_/) });
      expect(failure?.message).toContain(words);
    }
    expect(world.charges()).toEqual([]);
    expect(await world.paidRequests()).toBe(2);
  });

  it('keeps to the number of requests on the wire over all workers', async () => {
    const world = await createWorld({ createMs: [60, 120] });
    const front = await openFront(world);
    const { apiUrl } = front;
    const rows = Array.from({ length: 20 }, (_, i) => i + 1);
    await world.fill(
      rows.map((n) => tts(`Line ${n}.`)),
      { apiUrl, limits: { submits: 3 } },
    );
    const [one, two] = await Promise.all([world.worker({ apiUrl }), world.worker({ apiUrl })]);
    const reports = await Promise.all(rows.map((row) => (row % 2 === 0 ? one : two).submit(keyOf(row))));
    expect(reports.map((report) => report.verdict)).toEqual(rows.map(() => 'accepted'));
    expect(front.most()).toBe(3);
    expect(world.charges()).toHaveLength(20);
  });

  it('does not send when the process stood still while the intent was recorded', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const clock = movableClock();
    const worker = await world.worker({
      clock,
      change: ({ ledger }) => ({
        ledger: {
          ...ledger,
          intend: async (key, intent) => {
            const answer = await ledger.intend(key, intent);
            clock.move({ monotonic: 60_000, wall: 60_000 });
            return answer;
          },
        },
      }),
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit' } });
    expect(await world.paidRequests()).toBe(0);
    const [charge] = (await world.row(1)).charges;
    expect(charge?.failure).toMatchObject({ class: 'NotSent' });
    expect(charge?.failure?.message).toContain('stood still between the record and the request');
  });

  it('sends nothing when the work was taken away, before the intent or after', async () => {
    const world = await createWorld();
    await world.fill([tts(), tts()]);
    const early = new AbortController();
    early.abort();
    const worker = await world.worker();
    await expect(worker.submit(keyOf(1), early.signal)).rejects.toBe(early.signal.reason);
    expect(await world.attempts(1)).toEqual([]);

    const late = new AbortController();
    const hold = world.holdAt('after-intent');
    const submitting = (await world.worker({ atFaultPoint: hold.atFaultPoint })).submit(keyOf(2), late.signal);
    await hold.reached;
    late.abort();
    hold.release();
    expect(await submitting).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } });
    expect(await world.paidRequests()).toBe(0);
    const { charges } = await world.row(2);
    expect(charges[0]?.failure).toEqual({ class: 'NotSent', message: 'The work was taken away right before sending.' });
  });

  it('brings home what is on the wire when it is told to end', async () => {
    const world = await createWorld({ createMs: [200, 200] });
    await world.fill([tts()]);
    const end = new AbortController();
    const hold = world.holdAt('after-answer');
    const submitting = (await world.worker({ atFaultPoint: hold.atFaultPoint })).submit(keyOf(1), end.signal);
    await hold.reached;
    end.abort();
    hold.release();
    expect(await submitting).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
  });

  it('refuses the work of another account', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const worker = await world.worker({ change: ({ realm }) => ({ realm: { ...realm, account: 'u2' } }) });
    await expect(worker.submit(keyOf(1))).rejects.toMatchObject({ type: 'WrongRealm', nonRetryable: true });
    expect(await world.paidRequests()).toBe(0);
  });
});
