import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../api/speech-api.ts';
import { adoptJob, listOrphans, settleUnknown } from '../../worker/settle-unknown.ts';
import { BATCH, keyOf, lipSync, stt, tts } from '../activities/rows.ts';
import { createWorld, type World } from '../activities/world.ts';

const LOSES_ANSWERS = { on: 'create', fault: 'accept-then-500' } as const;

/** A lip-sync row that ended unknown because the list hid its job; the list is whole again afterwards. */
async function withUnknown(world: World): Promise<Awaited<ReturnType<World['worker']>>> {
  await world.fill([lipSync(), tts(), stt()]);
  const blind = await world.worker({
    change: ({ api }) => ({
      api: { ...api, listLipSyncJobs: () => Promise.resolve({ jobs: [], hasMore: false }) },
    }),
  });
  await blind.drive(1);
  expect((await world.row(1)).outcome).toBe('unknown');
  return world.worker();
}

describe('settleUnknown', () => {
  it('adopts the job that the list shows by now, and the row goes on', async () => {
    const world = await createWorld({ plan: { rules: [LOSES_ANSWERS], echoInputs: true } });
    const worker = await withUnknown(world);
    const { deps } = worker;
    expect(await settleUnknown(deps, BATCH, [1])).toEqual([{ is: 'adopted' }]);
    expect(await world.row(1)).toMatchObject({ outcome: null, state: 'processing' });
    expect(await settleUnknown(deps, BATCH, [1])).toEqual([{ is: 'still-unknown' }]);
    await worker.drive(1);
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(1);
  });

  it('finds a result that was stored before its process died', async () => {
    const world = await createWorld();
    await world.fill([tts('At once.')], { tts: 'sync' });
    const death = world.holdAt('after-answer');
    void (await world.worker({ atFaultPoint: death.atFaultPoint })).submit(keyOf(1));
    await death.reached;
    const worker = await world.worker();
    const { ledger } = worker.deps;
    const failure = { class: 'OutcomeUnknown', message: 'lost' } as const;
    await ledger.settle(keyOf(1), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    expect(await settleUnknown(worker.deps, BATCH, [1])).toEqual([{ is: 'found' }]);
    expect((await world.row(1)).outcome).toBe('succeeded');
  });

  it('leaves a row as it is where there is no trace, and one that is not in doubt', async () => {
    const world = await createWorld({ plan: { rules: [{ ...LOSES_ANSWERS, match: { text: 'Good' } }] } });
    await world.fill([tts(), tts('Fine.')]);
    const worker = await world.worker();
    for (const row of [1, 2]) await worker.drive(row);
    expect(await settleUnknown(worker.deps, BATCH, [1, 2, 3])).toEqual([1, 2, 3].map(() => ({ is: 'still-unknown' })));
    expect([(await world.row(1)).outcome, (await world.row(2)).outcome]).toEqual(['unknown', 'succeeded']);
  });
});

describe('settleUnknown, where the list cannot be read', () => {
  it('says so, and changes nothing', async () => {
    const world = await createWorld({ plan: { rules: [LOSES_ANSWERS], echoInputs: true } });
    const { deps } = await withUnknown(world);
    const failure = { class: 'BadRequest', message: 'no list for you', status: 403 } as const;
    const api = { ...deps.api, listLipSyncJobs: () => Promise.reject(new ApiError(failure)) };
    expect(await settleUnknown({ ...deps, api }, BATCH, [1])).toEqual([{ is: 'unreadable', why: 'no list for you' }]);
    expect((await world.row(1)).outcome).toBe('unknown');
  });
});

describe('adoptJob', () => {
  it('gives the row the job that a person names, which is fetched then', async () => {
    const world = await createWorld({ plan: { rules: [LOSES_ANSWERS] } });
    await world.fill([tts()]);
    const worker = await world.worker();
    await worker.drive(1);
    await worker.deps.ledger.closeBatch(BATCH);
    const jobId = world.charges()[0]?.jobId ?? '';
    expect(await adoptJob(worker.deps, BATCH, 1, jobId)).toEqual({ is: 'adopted' });
    expect((await worker.deps.ledger.findBatch(BATCH))?.state).toBe('open');
    await worker.drive(1);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', charges: [{ jobId, state: 'accepted' }] });
    expect(world.charges()).toHaveLength(1);
  });

  it('refuses a job that does not exist, is of another kind, or belongs to a row', async () => {
    const world = await createWorld({ plan: { rules: [{ ...LOSES_ANSWERS, match: { text: 'lost' } }] } });
    await world.fill([tts('lost'), tts('had'), lipSync(), stt()]);
    const worker = await world.worker();
    for (const row of [1, 2, 3]) await worker.drive(row);
    const [lost, had, lip] = await Promise.all([1, 2, 3].map(async (row) => (await world.row(row)).charges[0]?.jobId));
    expect(lost).toBeNull();
    const why = async (row: number, jobId: string): Promise<string> => {
      const reply = await adoptJob(worker.deps, BATCH, row, jobId);
      return reply.is === 'refused' ? reply.why : reply.is;
    };
    expect(await why(1, 'nothing')).toContain('no speech job of that id');
    expect(await why(1, lip ?? '')).toContain('no speech job of that id');
    expect(await why(1, had ?? '')).toBe('another row has that job');
    expect(await why(2, lip ?? '')).toBe('the row has no request whose outcome is unknown');
    // Said once more of its own, as after a kill.
    expect(await why(2, had ?? '')).toBe('adopted');
    expect(await why(4, had ?? '')).toBe('the row has no request whose outcome is unknown');
    expect(await why(9, had ?? '')).toBe('the row has no request whose outcome is unknown');
    expect((await world.row(1)).outcome).toBe('unknown');
  });

  it('refuses a row whose request is on the wire, and one that makes no job', async () => {
    const world = await createWorld({ plan: { rules: [LOSES_ANSWERS] } });
    await world.fill([tts(), stt()]);
    const hold = world.holdAt('after-intent');
    void (await world.worker({ atFaultPoint: hold.atFaultPoint })).submit(keyOf(1));
    await hold.reached;
    const worker = await world.worker();
    await worker.drive(2);
    expect(await adoptJob(worker.deps, BATCH, 1, 'j')).toMatchObject({ why: expect.stringContaining('on the wire') });
    expect(await adoptJob(worker.deps, BATCH, 2, 'j')).toMatchObject({ why: expect.stringContaining('makes no job') });
  });
});

describe('listOrphans', () => {
  it('lists what the API made in the time of the batch and no row has, by hosts alone', async () => {
    const world = await createWorld({ plan: { rules: [LOSES_ANSWERS], echoInputs: true } });
    const { deps } = await withUnknown(world);
    const [orphan, ...rest] = await listOrphans(deps, BATCH);
    expect(rest).toEqual([]);
    expect(orphan).toMatchObject({
      id: world.charges()[0]?.jobId,
      status: expect.any(String),
      videoHost: 'media.example',
      audioHost: 'media.example',
    });
    expect(JSON.stringify(orphan)).not.toContain('face');
    await settleUnknown(deps, BATCH, [1]);
    expect(await listOrphans(deps, BATCH)).toEqual([]);
  });

  it('leaves out what was made before or after, and asks nothing for a batch that never sent', async () => {
    const world = await createWorld({ plan: { rules: [LOSES_ANSWERS] } });
    const { deps } = await withUnknown(world);
    const startedAt = (await deps.ledger.findBatch(BATCH))?.startedAt ?? 0;
    const job = { phase: 'running', status: 'queued' } as const;
    const jobs = [
      { ...job, id: 'before', createdAtMs: startedAt - 60_001 },
      { ...job, id: 'in', createdAtMs: startedAt, credits: 7 },
      { ...job, id: 'timeless' },
      { ...job, id: 'after', createdAtMs: Date.now() + 120_000 },
    ];
    const api = { ...deps.api, listLipSyncJobs: () => Promise.resolve({ jobs, hasMore: false }) };
    expect(await listOrphans({ ...deps, api }, BATCH)).toEqual([
      { id: 'in', status: 'queued', createdAtMs: startedAt, credits: 7 },
      { id: 'timeless', status: 'queued' },
    ]);
    const fresh = await createWorld();
    await fresh.fill([lipSync()]);
    expect(await listOrphans((await fresh.worker()).deps, BATCH)).toEqual([]);
  });
});
