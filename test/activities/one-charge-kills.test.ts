import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROCESS_ENDED } from '../../policy/reconcile/process-end.ts';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, keyOf, lipSync, stt, tts } from './rows.ts';
import { SLICE_MS } from './worker.ts';
import { createWorld } from './world.ts';
import { claimAnew } from '../ledger/setup.ts';

/** Kills of docs/decisions/one-charge.md: a killed worker stops at a moment for good, and another one goes on. */

describe('one charge: kills', () => {
  it('killed before the intent', async () => {
    const world = await createWorld();
    await world.fill([tts(), tts('of a lane')]);
    const death = world.holdAt('before-intent');
    const killed = await world.worker({ atFaultPoint: death.atFaultPoint });
    await claimAnew(killed.deps.ledger);
    void killed.submit({ ...keyOf(2), fence: 1 });
    void killed.submit(keyOf(1));
    await death.reached;

    const next = await world.worker();
    await claimAnew(next.deps.ledger);
    expect(await next.drive(2)).toEqual({ type: 'ended' });
    expect(await world.attempts(2)).toEqual(['speech 1 accepted']);
    expect(await next.reconcile(keyOf(1))).toEqual({
      verdict: 'revoked',
      next: { type: 'submit', at: { row: 1, step: 'speech', take: 1, attempt: 2 } },
    });
    expect(await next.drive(1)).toEqual({ type: 'ended' });
    expect(await world.attempts(1)).toEqual(['speech 1 revoked', 'speech 2 accepted']);
    expect(world.charges()).toHaveLength(2);
  });

  it('killed between the intent and the send', async () => {
    const world = await createWorld();
    await world.fill([tts(), lipSync()]);
    const death = world.holdAt('after-intent');
    const killed = await world.worker({ atFaultPoint: death.atFaultPoint });
    void killed.submit(keyOf(1));
    void killed.submit(keyOf(2, 1, 'lip-sync'));
    await waitFor(async () => (await killed.deps.ledger.sending(BATCH)).length === 2);

    const next = await world.worker();
    for (const key of [keyOf(1), keyOf(2, 1, 'lip-sync')]) {
      expect(await next.reconcile(key)).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
      expect(await next.submit(key)).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    }
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', failure: PROCESS_ENDED });
    expect(await world.row(2)).toMatchObject({ outcome: 'unknown' });
    expect(world.charges()).toEqual([]);
    expect(await world.paidRequests()).toBe(0);
  });

  it('killed after the send, before the answer', async () => {
    const world = await createWorld({
      plan: { rules: [{ on: 'create', fault: { kind: 'hang', accepted: true } }], echoInputs: true },
    });
    await world.fill([tts(), lipSync()]);
    const killed = await world.worker();
    void killed.submit(keyOf(1));
    void killed.submit(keyOf(2, 1, 'lip-sync'));
    await waitFor(() => world.charges().length === 2);

    const next = await world.worker();
    expect(await next.reconcile(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(await next.reconcile(keyOf(2, 1, 'lip-sync'))).toMatchObject({
      verdict: 'accepted',
      next: { type: 'wait' },
    });
    expect(await next.drive(2)).toEqual({ type: 'ended' });
    expect((await world.row(1)).outcome).toBe('unknown');
    expect((await world.row(2)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(2);
    expect(await world.paidRequests()).toBe(2);
  });

  it('killed after the answer, before the verdict', async () => {
    const world = await createWorld({ shape: 'sync.headers=named' });
    await world.fill([tts('At once.'), tts('At once.'), stt(), stt()], { tts: 'sync' });
    const death = world.holdAt('after-answer');
    const killed = await world.worker({ atFaultPoint: death.atFaultPoint });
    void killed.submit(keyOf(1));
    await death.reached;

    const next = await world.worker();
    expect(await next.reconcile(keyOf(1))).toEqual({ verdict: 'done', next: { type: 'ended' } });
    await next.drive(2);
    const [found, answered] = [await world.row(1), await world.row(2)];
    expect(found).toMatchObject({ outcome: 'succeeded', file: { key: `${await world.stem(1)}.mp3` } });
    // What was found is what the answer would have been.
    expect(found.file?.sha256).toBe(answered.file?.sha256);
    const charged = (row: number): unknown => ({ charged: world.charges()[row - 1]?.credits, chargedFrom: 'api' });
    expect(found.charges).toMatchObject([charged(1)]);
    expect(await next.submit(keyOf(1))).toEqual({ verdict: 'done', next: { type: 'ended' } });

    // A transcript comes as JSON: it is in the store only once it was written there.
    const late = await world.worker({
      change: ({ ledger }) => ({ ledger: { ...ledger, settle: () => world.never() } }),
    });
    void late.submit(keyOf(3, 1, 'transcription'));
    await waitFor(
      async () =>
        (await next.deps.store.find(await world.stem(3, 'transcription'), { family: 'text', extension: 'txt' })) !==
        undefined,
    );
    expect(await next.reconcile(keyOf(3, 1, 'transcription'))).toEqual({ verdict: 'done', next: { type: 'ended' } });
    expect(await world.row(3)).toMatchObject({ outcome: 'succeeded', text: 'hello world mp', charges: [charged(3)] });
    const early = keyOf(4, 1, 'transcription');
    void killed.submit(early);
    await waitFor(() => world.charges().length === 4);
    expect(await next.reconcile(early)).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(world.charges()).toHaveLength(4);
  });

  it('killed after the verdict, before the report', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const death = world.holdAt('after-verdict');
    const killed = await world.worker({ atFaultPoint: death.atFaultPoint });
    void killed.submit(keyOf(1));
    await death.reached;

    const next = await world.worker();
    expect(await next.reconcile(keyOf(1))).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await next.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(1);
  });

  it('killed between download and rename', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const death = world.holdAt('before-rename');
    const killed = await world.worker({ atFaultPoint: death.atFaultPoint });
    const { next } = await killed.submit(keyOf(1));
    if (next.type !== 'wait') throw new Error(`expected a job, got ${next.type}`);
    void killed.slice([next.at], SLICE_MS);
    await death.reached;
    const folder = join(world.folder, 'store');
    expect(existsSync(folder)).toBe(false);
    expect((await world.row(1)).outcome).toBeNull();

    const other = await world.worker();
    expect(await other.drive(1)).toEqual({ type: 'ended' });
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', file: { key: `${await world.stem(1)}.mp3` } });
    expect(await readdir(join(folder, dirname(await world.stem(1))))).toEqual(['1-speech-1.mp3']);
    expect(world.charges()).toHaveLength(1);
  });

  it('refused with 429, intent of the next attempt written, then killed', async () => {
    const world = await createWorld({
      plan: { rules: [{ on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 429 } }] },
    });
    await world.fill([tts()]);
    const first = await world.worker();
    expect(await first.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted', next: { at: { attempt: 2 } } });
    // The second attempt is charged, and its answer is lost with the process.
    const death = world.holdAt('after-answer');
    const killed = await world.worker({ atFaultPoint: death.atFaultPoint });
    void killed.submit(keyOf(1, 2));
    await death.reached;
    expect(world.charges()).toHaveLength(1);

    const next = await world.worker();
    expect(await next.reconcile(keyOf(1, 2))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    // Even who asks for the first attempt again, or for a third, sends nothing.
    for (const attempt of [1, 2, 3]) expect((await next.submit(keyOf(1, attempt))).next).toEqual({ type: 'ended' });
    expect(await world.attempts(1)).toEqual(['speech 1 not-accepted', 'speech 2 unknown']);
    expect(world.charges()).toHaveLength(1);
  });
});
