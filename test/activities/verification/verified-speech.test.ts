/** @slow */
import { describe, expect, it } from '@jest/globals';
import { gatherLeftovers } from '../../../batches/status/leftovers.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { resultFields } from '../../../results/result-line.ts';
import type { FaultPlan } from '../../../simulator/fault-plan.ts';
import { speechSeconds } from '../../../simulator/media/melody.ts';
import { usedAttempt } from '../../../policy/rows/row-machine.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { BATCH, keyOf, tts, dub, TEXT, verified, speaks, type Wanted } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type World } from '../world.ts';

/** Rows whose speech is transcribed and compared with the text: what is paid, what is kept, and what a person can do. */

const ACCEPT = { row: 1, take: 1, how: { type: 'accept' } } as const;

let world: World;
let worker: Worker;

async function begin(spec: RowSpec, rules: FaultPlan['rules'] = [], wanted: Wanted = {}): Promise<void> {
  world = await createWorld({ rules });
  await world.fill([spec], wanted);
  worker = await world.worker();
}

const operations = (): readonly string[] => world.operations();

const hears = (fault: object): NonNullable<FaultPlan['rules']>[number] =>
  ({ on: 'create', operation: 'transcription', fault, times: 1 }) as never;

const CHECK = keyOf(1, 1, 'verification');

/** Kills the worker that has sent the check, and settles it. */
async function loseCheck(): Promise<void> {
  await worker.submit(keyOf(1));
  await worker.wait([[1]]);
  await world.stopAt('after-answer', (killed) => killed.submit(CHECK));
  await worker.reconcile(CHECK);
}

describe('verified speech', () => {
  it('that says its text succeeds with the speech as its result, for one transcription more', async () => {
    await begin(verified());
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', text: null, file: { extension: 'mp3' } });
    expect(row.charges).toMatchObject([
      { step: 'speech', state: 'accepted' },
      { step: 'verification', state: 'done', file: { extension: 'txt' }, judgement: { is: 'passed' }, failure: null },
    ]);
    expect(operations()).toEqual(['speech-job', 'transcription']);
  });

  it.each(['other-words', 'missing-sentence', 'truncated', 'garbled'] as const)(
    'with %s ends unfit, with its file',
    async (as) => {
      await begin(verified(), [speaks(as)]);
      await worker.drive(1);
      const row = await world.row();
      expect(row).toMatchObject({
        outcome: 'unfit',
        failure: { class: 'Unfit', cause: 'other words were heard' },
        file: { extension: 'mp3' },
      });
      expect(row.charges).toMatchObject([{ failure: null }, { state: 'done', judgement: { is: 'differs' } }]);
      expect(operations()).toEqual(['speech-job', 'transcription']);
    },
  );

  it('in which nothing is heard never passes', async () => {
    await begin(verified(), [hears({ kind: 'hears', as: 'nothing' })]);
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'unfit', failure: { cause: 'nothing was heard' } });
  });

  it('of other words in another language than was asked for says so, where the API does', async () => {
    const language = hears({ kind: 'hears', as: 'other-language' });
    await begin({ ...verified(), language: 'en' }, [speaks('other-words'), language]);
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'unfit', failure: { cause: 'another language was heard' } });
  });

  it('with the right words passes whatever language the API takes it for, and pays for no other take', async () => {
    await begin({ ...verified(), language: 'en' }, [hears({ kind: 'hears', as: 'other-language' })], { retakes: 1 });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
    expect(operations()).toEqual(['speech-job', 'transcription']);
  });

  it('in which there is nothing to hear passes, although nothing is heard', async () => {
    await begin({ ...verified(), text: '[laughs] ...' }, [hears({ kind: 'hears', as: 'nothing' })], { retakes: 1 });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
  });

  it('of a chain pays for no video before it has passed', async () => {
    await begin(verified(dub()), [speaks('other-words')], { retakes: 1 });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2, file: { extension: 'mp4' } });
    expect(operations()).toEqual(['speech-job', 'transcription', 'speech-job', 'transcription', 'lip-sync-job']);
  });
});

describe('retakes of verified speech', () => {
  it('are made until one passes', async () => {
    await begin(verified(), [speaks('other-words', 2)], { retakes: 3 });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 3 });
    expect(operations()).toHaveLength(6);
  });

  it('that do not pass either leave the best of them', async () => {
    await begin(verified(), [speaks('missing-sentence'), speaks('other-words', 9)], { retakes: 2 });
    await worker.drive(1);
    const row = await world.row();
    const errors = row.charges.flatMap(({ judgement }) => judgement?.error ?? []);
    expect(errors).toHaveLength(3);
    expect(Math.min(...errors)).toBe(errors[0]);
    expect(row).toMatchObject({ outcome: 'unfit', take: 3, file: row.charges[0]?.file });
  });

  it('whose job fails leave what was there before', async () => {
    await begin(verified(), [speaks('missing-sentence'), { on: 'create', fault: 'job-fails', match: {} }], {
      retakes: 1,
    });
    await worker.drive(1);
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'unfit', take: 2, file: row.charges[0]?.file });
  });

  it('that the budget does not allow leave it, too', async () => {
    await begin(verified(), [speaks('missing-sentence')], { retakes: 1, budget: 75 });
    await worker.drive(1);
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'unfit', take: 2, file: row.charges[0]?.file });
    expect(operations()).toEqual(['speech-job', 'transcription']);
  });
});

describe('speech that takes far longer than its voice usually does', () => {
  /** A worker that has heard the voice say this many times. */
  async function beginWithPace(spec: RowSpec): Promise<void> {
    await begin(spec, [speaks('other-voice')], { retakes: 1 });
    for (let nth = 0; nth < 30; nth++) worker.deps.speechPaces.judge(spec, speechSeconds(TEXT));
  }

  it.each([tts(TEXT), dub(TEXT)])('is kept as a good result of a $kind that asked for no check', async (spec) => {
    await beginWithPace(spec);
    await worker.drive(1);
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', take: 1 });
    const oddity = 'The speech is far too long for its text, as its voice usually speaks; listen to it.';
    expect(row.charges[0]?.file?.oddity).toBe(oddity);
    const { _message } = resultFields({ row, charges: row.charges }, BATCH, 'media/r1.mp3');
    expect(_message).toBe(spec.kind === 'tts' ? oddity : '');
    expect(operations().filter((one) => one === 'speech-job')).toHaveLength(1);
  });

  it('does not pass where the row asked for a check', async () => {
    await beginWithPace(verified());
    await worker.drive(1);
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', take: 2 });
    expect(row.charges[0]).toMatchObject({ failure: { cause: 'result is far too long for its text' } });
    expect(operations()).toEqual(['speech-job', 'speech-job', 'transcription']);
  });
});

describe('a verification that fails itself', () => {
  it('keeps the speech, and is made again alone', async () => {
    await begin(verified(), [hears({ kind: 'status', status: 422 })]);
    await worker.drive(1);
    const { file, charges } = await world.row();
    expect(await world.row()).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' } });
    expect(file).toEqual(charges[0]?.file);
    const again = { row: 1, take: 1, how: { type: 'pay', fromStep: 'verification', reason: 'redrive' } } as const;
    await redriveNow(world.ledger, BATCH, [again]);
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', file });
    expect(operations()).toEqual(['speech-job', 'transcription']);
  });

  it('with a lost answer is unknown, is not sent again, and the speech can be taken as it is', async () => {
    await begin(verified(), [hears({ kind: 'reset-after' })]);
    await worker.drive(1);
    const lost = await world.row();
    expect(lost).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown' } });
    expect(lost.failure?.message).toMatch(
      /^Its speech is stored and paid for; only the answer of its verification is lost: /,
    );
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect(operations()).toEqual(['speech-job', 'transcription']);
    await redriveNow(world.ledger, BATCH, [ACCEPT]);
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', file: row.charges[0]?.file });
    expect(row.charges[1]).toMatchObject({ state: 'unknown' });
  });

  it('killed before its answer is on record is unknown, and not sent again', async () => {
    await begin(verified(), [speaks('other-words')]);
    await loseCheck();
    const lost = await world.row();
    expect(lost).toMatchObject({ outcome: 'unknown' });
    expect(lost.failure?.message).toContain('stored and paid for');
    const leftovers = await gatherLeftovers(world.ledger, await world.batch(), await world.ledger.counts(BATCH));
    expect(leftovers.lost).toMatchObject({ unchecked: { count: 1 }, unlisted: { count: 0 }, listed: { count: 0 } });
    expect(operations()).toEqual(['speech-job', 'transcription']);
  });
});

describe('speech whose check is given up', () => {
  it('is kept whoever gives it up, and a late answer still ends its row', async () => {
    await begin(verified(), [], { onUnknown: 'fail' });
    await loseCheck();
    const { file, charges, ...row } = await world.row();
    expect(row).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' } });
    expect(file).toEqual(charges[0]?.file);
    if (file === null) throw new Error('the speech is gone');
    const { ledger } = world;
    await ledger.settle(CHECK, { verdict: 'done' }, { outcome: 'succeeded', file });
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', failure: null, file });
  });

  it('is kept where the check cannot be sent at all', async () => {
    await begin(verified());
    await worker.submit(keyOf(1));
    await worker.wait([[1]]);
    const failure = { class: 'InternalError', message: 'Nothing was sent for it.' } as const;
    await world.ledger.giveUp(CHECK, { outcome: 'failed', failure });
    const { file, charges, outcome } = await world.row();
    expect([outcome, file]).toEqual(['unfit', charges[0]?.file]);
  });
});

it('speech of a chain that did not pass goes into the video if a person accepts it, the best take of it', async () => {
  await begin(verified(dub()), [speaks('missing-sentence'), speaks('other-words')], { retakes: 1 });
  await worker.drive(1);
  const before = await world.row();
  expect(before).toMatchObject({ outcome: 'unfit', take: 2, file: before.charges[0]?.file });
  await redriveNow(world.ledger, BATCH, [{ ...ACCEPT, take: 2 }]);
  await worker.drive(1);
  const row = await world.row();
  expect(row).toMatchObject({ outcome: 'succeeded', acceptedTake: 1, file: { extension: 'mp4' } });
  const video = world.charges().find(({ operation }) => operation === 'lip-sync-job');
  expect(usedAttempt(row, row.charges, 'speech')?.take).toBe(1);
  expect(video?.audioUrl).toContain(row.charges.find(({ take }) => take === 1)?.jobId ?? 'none');
  expect(operations()).toEqual(['speech-job', 'transcription', 'speech-job', 'transcription', 'lip-sync-job']);
});
