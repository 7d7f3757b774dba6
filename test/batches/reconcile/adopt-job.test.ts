import { describe, expect, it } from '@jest/globals';
import type { Voice } from '../../../api/speech-api.ts';
import { adoptJob } from '../../../batches/reconcile/adopt-job.ts';
import { releaseTake } from '../../../batches/reconcile/decisions.ts';
import { planSettlement } from '../../../batches/reconcile/settlement-request.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { freeReadsOf } from '../../../worker/dependencies.ts';
import { BATCH, dub, INTENT, keyOf, lipSync, PARTS, tts } from '../../activities/rows.ts';
import { adopt, recordOf, type Worker } from '../../activities/worker.ts';
import { begin, createWorld, type Filling, type World } from '../../activities/world.ts';
import { ANN } from '../../support/ann.ts';

const VOICE: RowSpec = { kind: 'voice', name: 'Ada', samples: [], extra: {} };

/** Jobs that a person names for rows whose request is not on record. */

describe('a row that was never sent, as far as the ledger knows', () => {
  it('is given the job that a person names, and pays for nothing', async () => {
    const { world, worker } = await begin([tts(), tts('Other.')]);
    const jobId = await world.makeJob();
    const adopted = { row: 1, jobId, type: 'adopted' };
    const first = await adopt(worker.deps, 1, jobId);
    expect([first, 'goesOn' in first]).toEqual([expect.objectContaining(adopted), false]);
    // The same command again, as after a kill.
    expect(await adopt(worker.deps, 1, jobId)).toMatchObject(adopted);
    expect(await world.row()).toMatchObject({ outcome: null, state: 'processing', charges: [{ quoted: 7, jobId }] });
    expect(await adopt(worker.deps, 2, jobId)).toMatchObject({
      type: 'refused',
      why: { type: 'job-taken', by: { row: 1, batch: BATCH } },
    });
    expect(await world.attempts(2)).toEqual([]);
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded' });
    expect(world.charges()).toHaveLength(1);
    expect(await world.ledger.money(BATCH)).toMatchObject({ charged: 7, uncertain: 0 });
    expect(await world.ledger.actionsOf({ kinds: ['adopt'] })).toMatchObject([{ batch: BATCH, details: { jobId } }]);
  });

  it('is given no job that the API does not have, or that is of another operation', async () => {
    const { world, worker } = await begin([tts(), lipSync()]);
    const jobId = await world.makeJob();
    for (const [row, named] of [
      [1, 'nobody'],
      [2, jobId],
    ] as const)
      expect(await adopt(worker.deps, row, named)).toMatchObject({ type: 'refused', why: { type: 'no-such-job' } });
    // An id that would vanish in a path is not asked for.
    for (const vanishes of ['.', '..'])
      expect(await adopt(worker.deps, 1, vanishes)).toMatchObject({
        why: { words: 'the API would not give a job such an id' },
      });
    expect([await world.attempts(1), await world.attempts(2)]).toEqual([[], []]);
  });

  it('is given no job that the API lists with other links than its own', async () => {
    const { world, worker } = await begin([lipSync(1)], { echoInputs: true });
    const [other, own] = [await world.makeJob(lipSync(2)), await world.makeJob(lipSync(1))];
    expect(await adopt(worker.deps, 1, other)).toMatchObject({ type: 'refused', why: { type: 'other-inputs' } });
    expect(await world.attempts()).toEqual([]);
    expect(await adopt(worker.deps, 1, own)).toMatchObject({ type: 'adopted' });
  });

  it('goes on with its next step, which a person may name, too', async () => {
    const { world, worker } = await begin([dub()]);
    const adopted = await adopt(worker.deps, 1, await world.makeJob(dub()));
    expect(adopted).toMatchObject({ goesOn: { steps: ['lip-sync'], quoted: null } });
    await worker.wait([[1]]);
    expect(await adopt(worker.deps, 1, 'nobody')).toMatchObject({ why: { type: 'no-such-job', step: 'lip-sync' } });
    await worker.drive(1);
    expect(await world.attempts()).toEqual(['speech 1 accepted', 'lip-sync 1 accepted']);
    expect(world.charges()).toHaveLength(2);
  });

  it('may have been left out by a stop: it is open again, and its batch waits for no other', async () => {
    const { world, worker } = await begin([tts(), tts('Other.')]);
    const jobId = await world.makeJob();
    await worker.control('stopping');
    await world.work();
    expect(await world.outcomes()).toEqual(['cancelled', 'cancelled']);
    expect(await adopt(worker.deps, 1, jobId)).toMatchObject({ type: 'adopted' });
    await world.work();
    expect(await world.outcomes()).toEqual(['succeeded', 'cancelled']);
    expect(world.charges()).toHaveLength(1);
  });

  it('is unknown once the job is taken back, and is not sent by itself', async () => {
    const { world, worker } = await begin([tts()]);
    const jobId = await world.makeJob();
    await adopt(worker.deps, 1, jobId);
    expect(await releaseTake(worker.deps.ledger, BATCH, { row: 1 }, ANN)).toMatchObject({ type: 'released', jobId });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'unknown' });
    expect(world.charges()).toHaveLength(1);
  });

  it.each(['on the wire', 'unknown'])(
    'keeps its own request that was sent while its job was read, and is %s',
    async (is) => {
      const { world, worker } = await begin([tts()]);
      const jobId = await world.makeJob();
      const reads = freeReadsOf(worker.deps);
      const findJob: typeof reads.findJob = async (...args) => {
        const found = await reads.findJob(...args);
        expect(await world.ledger.intend(keyOf(1), INTENT)).toMatchObject({ type: 'go' });
        if (is === 'unknown') await world.ledger.settle(keyOf(1), { verdict: 'unknown' }, { state: 'submitting' });
        return found;
      };
      const answer = await adoptJob(world.ledger, { ...reads, findJob }, await recordOf(world), { row: 1, jobId }, ANN);
      expect(answer).toMatchObject({ type: 'refused', why: { type: 'moved-on' } });
      const own = { verdict: 'accepted', jobId: 'own' } as const;
      expect(await world.ledger.settle(keyOf(1), own, { state: 'processing' })).toMatchObject({ settled: true });
      expect(await world.row()).toMatchObject({ charges: [{ state: 'accepted', jobId: 'own' }] });
    },
  );

  it('is given no job while the voice that it speaks with was not made: it would end again, and the job not be fetched', async () => {
    const wanted: Filling = { waits: [undefined, { type: 'made', row: 1 }] };
    const { world, worker } = await begin([VOICE, { ...tts(), voice: 'name:Ada' }], { wanted });
    const jobId = await world.makeJob();
    const refused = { type: 'refused', why: { type: 'not-in-doubt' } };
    expect(await adopt(worker.deps, 2, jobId)).toMatchObject(refused);
    await worker.control('stopping');
    await world.work();
    expect(await world.outcomes()).toEqual(['cancelled', 'cancelled']);
    expect(await adopt(worker.deps, 2, jobId)).toMatchObject(refused);
    expect(await world.attempts(2)).toEqual([]);
  });

  it('may be given the voice that a person names after a wrong one: both were made before it was put on record', async () => {
    const { world } = await begin([VOICE]);
    const voice = (id: string): Voice => ({ id, name: 'Ada', provider: '', createdAtMs: Date.now() - 86_400_000 });
    const reads: Parameters<typeof adoptJob>[1] = {
      ...freeReadsOf((await world.worker()).deps),
      listVoices: () => Promise.resolve({ type: 'listed', voices: [voice('wrong'), voice('right')] }),
    };
    const give = async (jobId: string): ReturnType<typeof adoptJob> =>
      adoptJob(world.ledger, reads, await recordOf(world), { row: 1, jobId }, ANN);
    expect(await give('wrong')).toMatchObject({ type: 'adopted', isResult: true });
    expect(await releaseTake(world.ledger, BATCH, { row: 1 }, ANN)).toMatchObject({ type: 'released' });
    expect(await give('right')).toMatchObject({ type: 'adopted', isResult: true });
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', text: 'right' });
  });

  it('is a part, where a row is spoken in parts: the only one that fits, or one that has to be named', async () => {
    const world = await createWorld();
    await world.fillInParts(PARTS);
    const { deps } = await world.worker();
    const batch = await world.batch();
    const plan = (row: string): ReturnType<typeof planSettlement> =>
      planSettlement(deps.ledger, batch, { adopt: [{ row, job: 'j' }] });
    expect(await plan('1')).toMatchObject({ type: 'several-parts', parts: [{}, {}, {}] });
    const part = (await world.ledger.partsOf(BATCH, 1))[1];
    expect(await plan(part?.row.id ?? '')).toMatchObject({ adoptions: [{ row: part?.row.row }] });
    expect(await adopt(deps, part?.row.row ?? 0, await world.makeJob(tts(PARTS[1])))).toMatchObject({
      type: 'adopted',
    });
    expect(await world.row()).toMatchObject({ outcome: null });
  });
});

/** Begins take 2 of row 1 with a job. */
async function giveNext(world: World, { deps }: Worker, jobId: string): ReturnType<typeof adoptJob> {
  return adoptJob(deps.ledger, freeReadsOf(deps), await recordOf(world), { row: 1, take: 2, jobId }, ANN);
}

describe('a row that has ended, whose next take a restored ledger lacks', () => {
  it('begins that take with the job, and is asked for it by name if it has a result', async () => {
    const { world, worker } = await begin([tts(), tts('Other.')]);
    await world.work();
    const jobId = await world.makeJob();
    expect(await adopt(worker.deps, 1, jobId)).toMatchObject({ type: 'refused', why: { type: 'not-in-doubt' } });
    const named = { row: 1, take: 2, jobId };
    const record = await recordOf(world);
    const plan = (row: string): ReturnType<typeof planSettlement> =>
      planSettlement(worker.deps.ledger, record, { adopt: [{ row, job: jobId }] });
    expect(await plan('1/2')).toMatchObject({ adoptions: [named] });
    expect(await plan('1/3')).toMatchObject({ type: 'no-take', word: '1', take: 3, takes: 1 });
    expect(await giveNext(world, worker, jobId)).toMatchObject({ type: 'adopted', newTake: 2 });
    // The same command again, as after a kill.
    expect(await giveNext(world, worker, jobId)).toMatchObject({ type: 'adopted' });
    expect(await plan('1/3')).toMatchObject({ type: 'no-take', word: '1', take: 3, takes: 2 });
    await world.work();
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2, charges: [{}, { take: 2, jobId }] });
    expect(world.charges()).toHaveLength(3);
    expect(await adopt(worker.deps, 2, jobId)).toMatchObject({ type: 'refused' });
  });

  it('may have been edited for it: the job has other links, which is said', async () => {
    const { world, worker } = await begin([lipSync(1)], { echoInputs: true });
    await world.work();
    const jobId = await world.makeJob(lipSync(2));
    expect(await giveNext(world, worker, jobId)).toMatchObject({
      ...{ type: 'adopted', newTake: 2, otherInputs: true },
    });
  });

  it('is given the job of a later step once it has the result before it, also one of cells that were edited for that take', async () => {
    const { world, worker } = await begin([dub()], { echoInputs: true });
    await world.work();
    await worker.control('paused');
    const [speech, video] = [await world.makeJob(dub()), await world.makeJob(lipSync(2))];
    const give = (jobId: string): ReturnType<typeof adoptJob> => giveNext(world, worker, jobId);
    expect(await give(speech)).toMatchObject({ type: 'adopted', newTake: 2 });
    expect(await give(video)).toMatchObject({ why: { type: 'adopted-before', jobId: speech, hasLaterStep: true } });
    await world.work();
    expect(await give(video)).toMatchObject({ type: 'adopted', otherInputs: true });
    await world.work();
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2 });
    expect(world.charges()).toHaveLength(4);
  });

  it('begins it at the step whose job it is', async () => {
    const { world, worker } = await begin([dub()]);
    await world.work();
    const jobId = world.charges().at(-1)?.jobId ?? '';
    const give = (job: string): ReturnType<typeof adoptJob> => giveNext(world, worker, job);
    expect(await give(jobId)).toMatchObject({ type: 'refused', why: { type: 'job-taken', by: { row: 1 } } });
    expect(await give(await world.makeJob(lipSync(2)))).toMatchObject({ type: 'adopted', newTake: 2 });
    await world.work();
    expect(await world.attempts()).toEqual(['speech 1 accepted', 'lip-sync 1 accepted', 'lip-sync 1 accepted']);
  });
});
