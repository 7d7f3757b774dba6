import { describe, expect, it } from '@jest/globals';
import { listLostVoices } from '../../../batches/reconcile/unclaimed.ts';
import { adoptJob } from '../../../batches/reconcile/adopt-job.ts';
import { releaseTake } from '../../../batches/reconcile/decisions.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import type { Dependencies } from '../../../activities/dependencies.ts';
import { freeReadsOf } from '../../../worker/dependencies.ts';
import { adopt, recordOf } from '../../activities/worker.ts';
import { BATCH } from '../../activities/rows.ts';
import { begin, type World } from '../../activities/world.ts';
import { sampleFolder, writeSample } from '../../support/samples.ts';
import { ANN } from '../../support/ann.ts';

/** A world where the answer about the voice of row 1 was lost. `isBlind`: its list was empty meanwhile. */
async function withLostVoice({ name = 'Anna', isBlind = true } = {}): Promise<{
  readonly world: World;
  readonly deps: Dependencies;
  readonly made: string;
}> {
  const samples = [await writeSample(await sampleFolder(), 'a.wav')];
  const spec: RowSpec = { kind: 'voice', name, samples, extra: {} };
  const { world, worker: blind } = await begin([spec, { ...spec, name: 'Ben' }], {
    rules: [{ on: 'create', match: { nth: 1 }, fault: 'reset-after' }],
    ...(isBlind && { api: () => ({ listVoices: async function* () {} }) }),
  });
  await blind.drive(1);
  expect((await world.row()).outcome).toBe('unknown');
  const { deps } = await world.worker();
  return { world, deps, made: String(world.charges()[0]?.jobId) };
}

async function candidates(deps: Dependencies, rows: readonly number[]): ReturnType<typeof listLostVoices> {
  return listLostVoices(deps.ledger, freeReadsOf(deps), await recordOf(deps), rows);
}

describe('the voices that a lost request may have made', () => {
  it('are those of its name that no row has, and a person may give one to the row', async () => {
    const { world, deps, made } = await withLostVoice();
    await world.worker().then((worker) => worker.drive(2));
    expect(await candidates(deps, [1, 2])).toMatchObject({
      type: 'listed',
      voices: [{ row: 1, voice: made, name: 'Anna', provider: 'fishaudio', isNew: true }],
    });
    expect(await adopt(deps, 1, 'nobody')).toMatchObject({ type: 'refused', why: { type: 'no-such-job' } });
    expect(await adopt(deps, 1, made)).toMatchObject({ type: 'adopted', jobId: made, isResult: true });
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', text: made });
    expect(await adopt(deps, 1, made)).toMatchObject({ type: 'adopted' });
    expect(world.charges()).toHaveLength(2);
    expect(await candidates(deps, [1])).toEqual({ type: 'listed', voices: [] });
  });

  it('may be taken back, and the row is unknown again', async () => {
    const { world, deps, made } = await withLostVoice();
    await adopt(deps, 1, made);
    expect(await releaseTake(deps.ledger, BATCH, { row: 1 }, ANN)).toMatchObject({ type: 'released' });
    expect(await world.row()).toMatchObject({ outcome: 'unknown', text: null });
    expect(await candidates(deps, [1])).toMatchObject({ voices: [{ voice: made }] });
  });

  it('leave out one that was made before, where the API says when', async () => {
    const { deps, made } = await withLostVoice();
    const record = await recordOf(deps);
    const voice = (id: string, createdAtMs?: number) => ({ id, name: ' Anna', provider: '', createdAtMs });
    const now = Date.now();
    const voices = [voice('late', now + 60_000), voice('old', now - 3_600_000), voice('no-time'), voice(made, now)];
    const reads = { listVoices: () => Promise.resolve({ type: 'listed', voices } as never) };
    expect(await listLostVoices(deps.ledger, reads, record, [1])).toMatchObject({
      voices: [{ voice: made }, { voice: 'late' }, { voice: 'no-time' }],
    });
    const findJob = (): never => {
      throw new Error('a voice is no job');
    };
    expect(
      await adoptJob(deps.ledger, { ...reads, findJob, listJobs: findJob }, record, { row: 1, jobId: 'old' }, ANN),
    ).toMatchObject({
      type: 'refused',
      why: { type: 'made-before', madeAtMs: now - 3_600_000 },
    });
  });

  it('are not certain where a voice of that name was there before the request', async () => {
    const { deps, made } = await withLostVoice({ name: 'Ada', isBlind: false });
    const found = await candidates(deps, [1]);
    expect(found).toMatchObject({ voices: [{ isNew: false }, { isNew: false }] });
    expect(found).toMatchObject({ voices: expect.arrayContaining([expect.objectContaining({ voice: made })]) });
    expect(await adopt(deps, 1, made)).toMatchObject({ type: 'adopted', mayBeOlder: true });
  });
});
