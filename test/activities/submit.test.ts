/** @slow */
import { describe, expect, it } from '@jest/globals';
import { keyOf, tts, stt, texts } from './rows.ts';
import { movableClock } from './worker.ts';
import { begin } from './world.ts';

describe('submit', () => {
  it.each([
    ['credits run out', { credits: 0 }, { credits: 1_000 }, { class: 'OutOfCredits', status: 402 }],
    ['the token is refused', { token: 'another' }, undefined, { class: 'BadToken', status: 401 }],
  ] as const)('pauses the batch when %s, and goes on after a resume', async (_name, bad, good, pauseReason) => {
    const { world, worker } = await begin([tts()]);
    await world.change('settings', bad);
    const again = { verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } };
    expect(await worker.submit(keyOf(1))).toMatchObject(again);
    expect(await worker.submit(keyOf(1, 2))).toMatchObject({ verdict: 'blocked' });
    expect(await world.batch()).toMatchObject({ control: 'paused', pauseReason });
    await world.change('settings', good ?? { token: world.simulator.token });
    await worker.control('running');
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect(await world.attempts()).toEqual(['speech 1 not-accepted', 'speech 2 accepted']);
    expect((await world.batch()).pauseReason).toBeNull();
    expect(world.charges()).toHaveLength(1);
  });

  it('slows everybody down after a 429 and sends again as the next attempt', async () => {
    const fault = { kind: 'status', status: 429, retryAfter: 1 } as const;
    const { world, worker: one } = await begin([tts(), tts('Another.')], {
      rules: [{ on: 'create', match: { nth: 1 }, fault }],
    });
    const two = await world.worker();
    const again = { verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } };
    expect(await one.submit(keyOf(1))).toMatchObject(again);
    expect((await world.row()).charges[0]?.failure).toMatchObject({ class: 'RateLimited', retryAfterMs: 1000 });
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
    const { world, worker } = await begin([tts(), stt()], {
      rules: [{ on: 'create', fault }],
      shape: 'error.body=code-message',
    });
    for (const key of [keyOf(1), keyOf(2, 1, 'transcription')]) {
      expect(await worker.submit(key)).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
      const told = { requestId: expect.stringMatching(/^req_/), message: expect.stringContaining(words) };
      expect(await world.row(key.row)).toMatchObject({ outcome: 'failed', failure: { class: 'BadRequest', ...told } });
    }
    expect([world.charges().length, await world.paidRequests()]).toEqual([0, 2]);
  });

  it('keeps to the number of requests on the wire over all workers', async () => {
    let [now, most] = [0, 0];
    const { world, worker: one } = await begin(texts(20), {
      createMs: [60, 120],
      wanted: { limits: { submits: 3 } },
      api: (api) => ({
        send: async (...request) => {
          most = Math.max(most, ++now);
          return api.send(...request).finally(() => (now -= 1));
        },
      }),
    });
    const { api } = one.deps;
    const two = await world.worker({ api: () => api });
    const rows = texts(20).map((_, at) => at + 1);
    const reports = await Promise.all(rows.map((row) => (row % 2 === 0 ? one : two).submit(keyOf(row))));
    expect(reports.map((report) => report.verdict)).toEqual(rows.map(() => 'accepted'));
    expect(most).toBe(3);
    expect(world.charges()).toHaveLength(20);
  });

  it('does not send when the process stood still while the intent was recorded', async () => {
    const clock = movableClock();
    const { world, worker } = await begin([tts()], {
      clock,
      ledger: ({ intend }) => ({
        intend: async (...intent) => {
          const answer = await intend(...intent);
          clock.move({ monotonic: 60_000, wall: 60_000 });
          return answer;
        },
      }),
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit' } });
    expect(await world.paidRequests()).toBe(0);
    const message = expect.stringContaining('stood still between the record and the request');
    expect((await world.row()).charges).toMatchObject([{ failure: { class: 'NotSent', message } }]);
  });

  it('sends nothing when the work was taken away, before the intent or after', async () => {
    const { world, worker } = await begin([tts(), tts()]);
    const [early, late] = [new AbortController(), new AbortController()];
    early.abort();
    await expect(worker.submit(keyOf(1), early.signal)).rejects.toBe(early.signal.reason);
    expect(await world.attempts()).toEqual([]);

    const { ended, release } = await world.stopAt('after-intent', (one) => one.submit(keyOf(2), late.signal));
    late.abort();
    release();
    expect(await ended).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } });
    expect(await world.paidRequests()).toBe(0);
    const failure = { class: 'NotSent', message: 'The work was taken away right before sending.' };
    expect((await world.row(2)).charges).toMatchObject([{ failure }]);
  });

  it('brings home what is on the wire when it is told to end', async () => {
    const { world } = await begin([tts()]);
    const end = new AbortController();
    const { ended, release } = await world.stopAt('after-answer', (worker) => worker.submit(keyOf(1), end.signal));
    end.abort();
    release();
    expect(await ended).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
  });

  it('refuses the work of another account', async () => {
    const { world, worker } = await begin([tts()], {
      change: ({ realm }) => ({ realm: { ...realm, account: 'u2' } }),
    });
    await expect(worker.submit(keyOf(1))).rejects.toMatchObject({ type: 'WrongRealm', nonRetryable: true });
    expect(await world.paidRequests()).toBe(0);
  });
});
