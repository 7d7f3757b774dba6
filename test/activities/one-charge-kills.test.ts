import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROCESS_ENDED } from '../../policy/reconcile/process-end.ts';
import { waitFor } from '../support/wait-for.ts';
import { claimAnew } from '../ledger/setup.ts';
import { BATCH, keyOf, tts, stt, lipSync } from './rows.ts';
import { begin } from './world.ts';

/** Kills of docs/decisions/one-charge.md: a killed worker stops at a moment for good, and another one goes on. */

const LIP_SYNC = keyOf(2, 1, 'lip-sync');
const UNKNOWN = { verdict: 'unknown', next: { type: 'ended' } };
const ENDED = { type: 'ended' };

describe('one charge: kills', () => {
  it('killed before the intent', async () => {
    const { world, worker } = await begin([tts(), tts('of a lane')]);
    await world.stopAt('before-intent', async (killed) => {
      await claimAnew(killed.deps.ledger);
      await Promise.all([killed.submit({ ...keyOf(2), fence: 1 }), killed.submit(keyOf(1))]);
    });
    await claimAnew(worker.deps.ledger);
    expect(await worker.drive(2)).toEqual(ENDED);
    expect(await world.attempts(2)).toEqual(['speech 1 accepted']);
    expect(await worker.reconcile(keyOf(1))).toEqual({
      verdict: 'revoked',
      next: { type: 'submit', at: { row: 1, step: 'speech', take: 1, attempt: 2 } },
    });
    expect(await worker.drive(1)).toEqual(ENDED);
    expect(await world.attempts()).toEqual(['speech 1 revoked', 'speech 2 accepted']);
    expect(world.charges()).toHaveLength(2);
  });

  it('killed between the intent and the send', async () => {
    const { world, worker } = await begin([tts(), lipSync()]);
    await world.stopAt('after-intent', (killed) => Promise.all([killed.submit(keyOf(1)), killed.submit(LIP_SYNC)]));
    await waitFor(async () => (await world.ledger.sending(BATCH)).length === 2);
    for (const key of [keyOf(1), LIP_SYNC]) {
      expect(await worker.reconcile(key)).toEqual(UNKNOWN);
      expect(await worker.submit(key)).toEqual(UNKNOWN);
    }
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', failure: PROCESS_ENDED });
    expect(await world.row(2)).toMatchObject({ outcome: 'unknown' });
    expect([world.charges().length, await world.paidRequests()]).toEqual([0, 0]);
  });

  it('killed after the send, before the answer', async () => {
    const { world, worker: killed } = await begin([tts(), lipSync()], {
      rules: [{ on: 'create', fault: { kind: 'hang', accepted: true } }],
      echoInputs: true,
    });
    for (const key of [keyOf(1), LIP_SYNC]) void killed.submit(key);
    await waitFor(() => world.charges().length === 2);

    const next = await world.worker();
    expect(await next.reconcile(keyOf(1))).toEqual(UNKNOWN);
    expect(await next.reconcile(LIP_SYNC)).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await next.drive(2)).toEqual(ENDED);
    expect(await world.outcomes()).toEqual(['unknown', 'succeeded']);
    expect([world.charges().length, await world.paidRequests()]).toEqual([2, 2]);
  });

  it('killed after the answer, before the verdict', async () => {
    const { world, worker: next } = await begin([tts('At once.'), tts('At once.'), stt(), stt()], {
      shape: 'sync.headers=named',
      wanted: { tts: 'sync' },
    });
    const { worker: killed } = await world.stopAt('after-answer');
    expect(await next.reconcile(keyOf(1))).toEqual({ verdict: 'done', next: ENDED });
    await next.drive(2);
    const [found, answered] = [await world.row(1), await world.row(2)];
    expect(found).toMatchObject({ outcome: 'succeeded', file: { key: `${await world.stem(1)}.mp3` } });
    // What was found is what the answer would have been.
    expect(found.file?.sha256).toBe(answered.file?.sha256);
    const charged = (row: number): unknown => ({ charged: world.charges()[row - 1]?.credits, chargedFrom: 'api' });
    expect(found.charges).toMatchObject([charged(1)]);
    expect(await next.submit(keyOf(1))).toEqual({ verdict: 'done', next: ENDED });

    // A transcript comes as JSON: it is in the store only once it was written there.
    const late = await world.worker({ ledger: () => ({ settle: () => world.never() }) });
    const [written, unwritten] = [keyOf(3, 1, 'transcription'), keyOf(4, 1, 'transcription')];
    void late.submit(written);
    const [stem, text] = [await world.stem(3, 'transcription'), { family: 'text', extension: 'txt' } as const];
    await waitFor(async () => (await next.deps.store.find(stem, text)) !== undefined);
    expect(await next.reconcile(written)).toEqual({ verdict: 'done', next: ENDED });
    expect(await world.row(3)).toMatchObject({ outcome: 'succeeded', text: 'hello world mp', charges: [charged(3)] });
    void killed.submit(unwritten);
    await waitFor(() => world.charges().length === 4);
    expect(await next.reconcile(unwritten)).toEqual(UNKNOWN);
    expect(world.charges()).toHaveLength(4);
  });

  it('killed after the verdict, before the report', async () => {
    const { world, worker } = await begin([tts()]);
    await world.stopAt('after-verdict');
    expect(await worker.reconcile(keyOf(1))).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await worker.drive(1)).toEqual(ENDED);
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(1);
  });

  it('killed between download and rename', async () => {
    const { world, worker } = await begin([tts()]);
    await world.stopAt('before-rename', (killed) => killed.drive(1));
    const folder = join(world.folder, 'store');
    expect(existsSync(folder)).toBe(false);
    expect(await world.outcomes()).toEqual([null]);

    expect(await worker.drive(1)).toEqual(ENDED);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', file: { key: `${await world.stem()}.mp3` } });
    const { dir, base } = parse(`${await world.stem()}.mp3`);
    expect(await readdir(join(folder, dir))).toEqual([base]);
    expect(world.charges()).toHaveLength(1);
  });

  it('refused with 429, intent of the next attempt written, then killed', async () => {
    const { world, worker } = await begin([tts()], {
      rules: [{ on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 429 } }],
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted', next: { at: { attempt: 2 } } });
    // The second attempt is charged, and its answer is lost with the process.
    await world.stopAt('after-answer', (killed) => killed.submit(keyOf(1, 2)));
    expect(world.charges()).toHaveLength(1);

    const next = await world.worker();
    expect(await next.reconcile(keyOf(1, 2))).toEqual(UNKNOWN);
    // Even who asks for the first attempt again, or for a third, sends nothing.
    for (const attempt of [1, 2, 3]) expect((await next.submit(keyOf(1, attempt))).next).toEqual(ENDED);
    expect(await world.attempts()).toEqual(['speech 1 not-accepted', 'speech 2 unknown']);
    expect(world.charges()).toHaveLength(1);
  });
});
