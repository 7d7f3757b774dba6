import { expect, it } from '@jest/globals';
import type { RedriveSelection } from '../../batches/redrive/selection.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import { workOn } from './cached.ts';
import { damage as lose, draftOf as draftIn, redrive as redriveIn } from './redriven.ts';
import { BATCH, dub, tts, type Wanted } from './rows.ts';
import { speaks, verified } from './verified.ts';
import { createWorld, type World } from './world.ts';

/** Rows whose stored file is damaged after they have succeeded: what was paid for is fetched again, and not paid again. */

let world: World;

async function begin(spec: RowSpec, wanted: Wanted = {}, rules: FaultPlan['rules'] = []): Promise<void> {
  world = await createWorld({ plan: { rules } });
  await world.fill([spec], wanted);
  await work();
}

const work = async (): Promise<unknown> => workOn(await world.worker(), BATCH);
const operations = (): readonly string[] => world.charges().map(({ operation }) => operation);

const damage = (row?: number, how?: 'missing' | 'altered'): Promise<void> => lose(world, row, BATCH, how);
const draftOf = (wish?: RedriveSelection): ReturnType<typeof draftIn> => draftIn(world, wish);
const redrive = (wish?: RedriveSelection): ReturnType<typeof redriveIn> => redriveIn(world, wish);

it.each<[string, RowSpec, 'missing' | 'altered', number]>([
  ['verified speech', verified(), 'altered', 2],
  ['verified speech', verified(), 'missing', 2],
  ['speech', tts(), 'altered', 1],
  ['the video of verified speech', verified(dub()), 'missing', 3],
])('the file of %s is fetched again, free: %#', async (_, spec, how, paid) => {
  await begin(spec);
  const before = await world.row(1);
  await damage(1, how);
  expect(await redrive()).toEqual({ paying: 0, waits: 1 });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1, failure: null, file: before.file });
  expect(operations()).toHaveLength(paid);
  // It is whole, so the same command asks for another one now.
  expect(await redrive()).toMatchObject({ paying: 1, waits: 0 });
});

it('a repair is safe to repeat: only rows whose file is lost are chosen', async () => {
  await begin(verified());
  expect((await draftOf({ damaged: true })).draft.count).toBe(0);
  await damage();
  expect(await redrive({ damaged: true })).toEqual({ paying: 0, waits: 1 });
  expect((await draftOf({ damaged: true })).draft.count).toBe(0);
  expect(operations()).toHaveLength(2);
});

it('the best take, which a person accepted, is fetched again, free, and not a later one', async () => {
  await begin(verified(), { retakes: 1 }, [speaks('missing-sentence'), speaks('other-words')]);
  const unfit = await world.row(1);
  expect(unfit).toMatchObject({ outcome: 'unfit', take: 2, file: unfit.charges[0]?.file });
  await redrive({ accept: true });
  await damage();
  expect(await redrive()).toEqual({ paying: 0, waits: 1 });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 2, file: unfit.file });
  expect(operations()).toHaveLength(4);
});

it('speech that was accepted unverified is fetched again without another verification', async () => {
  const rule = { on: 'create', operation: 'transcription', fault: { kind: 'reset-after' }, times: 1 } as const;
  await begin(verified(), {}, [rule]);
  expect(await world.row(1)).toMatchObject({ outcome: 'unknown' });
  await redrive({ accept: true });
  await damage();
  await redrive();
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1 });
  expect(operations()).toEqual(['speech-job', 'transcription']);
});

it('other content than was verified does not pass, and a redrive pays for its verification alone', async () => {
  await begin(verified());
  await damage();
  const ledger = await world.look();
  const { file, charges } = await world.row(1);
  if (file === null) throw new Error('there is no file');
  const lost = { class: 'ResultGone', message: 'It is missing.' } as const;
  await ledger.redrive(BATCH, [{ row: 1, take: 1, outcome: 'succeeded', how: { type: 'wait' }, lost }]);
  const other = { ...file, sha256: 'b'.repeat(64) };
  await ledger.finishJob(
    { batch: BATCH, row: 1, step: 'speech', take: 1, attempt: 1 },
    { file: other },
    { state: 'waiting' },
  );
  expect(await world.row(1)).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' }, file: other });
  expect(await redrive()).toEqual({ paying: 1, waits: 0 });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 2, file: other });
  expect(charges).toHaveLength(2);
  expect(operations()).toEqual(['speech-job', 'transcription', 'transcription']);
});

it('a job that the API has forgotten leaves it to a person to pay', async () => {
  await begin(verified());
  await damage();
  await world.change('plan', { rules: [{ on: 'read', fault: { kind: 'status', status: 404 } }] });
  await redrive();
  expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' }, take: 1 });
  expect(operations()).toHaveLength(2);
  await world.change('plan', { rules: [] });
  expect(await redrive()).toEqual({ paying: 0, waits: 1 });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1 });
  await damage();
  expect(await redrive({ resubmit: true })).toEqual({ paying: 1, waits: 0 });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 2 });
});

it('what was spoken at once has no job, so it is made again at its price, which takes the same word as to replace it', async () => {
  await begin(tts(), { tts: 'sync' });
  expect((await draftOf()).draft).toMatchObject({ replaced: 1, lost: 0, resubmitted: 0 });
  await damage();
  expect((await draftOf()).draft).toMatchObject({ replaced: 1, lost: 1, resubmitted: 0 });
  expect(await redrive()).toEqual({ paying: 1, waits: 0 });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 2 });
  expect(operations()).toEqual(['speech-sync', 'speech-sync']);
});
