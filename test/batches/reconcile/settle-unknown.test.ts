import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../api/speech-api.ts';
import { listOrphans as orphansOf } from '../../../batches/reconcile/unclaimed.ts';
import type { SettledRow } from '../../../batches/reconcile/decisions.ts';
import { settleUnknown as settleRows } from '../../../batches/reconcile/settle.ts';
import { reconciledLine } from '../../../starters/reconcile/reconcile-words.ts';
import { freeReadsOf, type WorkerSetup } from '../../../worker/dependencies.ts';
import { adopt, recordOf, type Worker } from '../../activities/worker.ts';
import { BATCH, INTENT, keyOf, lipSync, stt, tts } from '../../activities/rows.ts';
import { begin, type World } from '../../activities/world.ts';

async function settleUnknown(world: WorkerSetup, rows: readonly number[]): Promise<readonly SettledRow[]> {
  const batch = await recordOf(world);
  const settled: SettledRow[] = [];
  for await (const row of settleRows(world.ledger, freeReadsOf(world), batch, rows)) settled.push(row);
  return settled;
}

function listOrphans(world: WorkerSetup, own?: Parameters<typeof orphansOf>[3]): ReturnType<typeof orphansOf> {
  return orphansOf(world.ledger, freeReadsOf(world), BATCH, own);
}

const LOSES_ANSWERS = { on: 'create', fault: 'accept-then-500' } as const;

/** A lip-sync row that ended unknown because the list hid its job; the list is whole again afterwards, and echoes inputs. */
async function withUnknown(): Promise<{ readonly world: World; readonly worker: Worker }> {
  const { world, worker: blind } = await begin([lipSync(), tts(), stt()], {
    rules: [LOSES_ANSWERS],
    echoInputs: true,
    api: () => ({ listJobs: () => Promise.resolve({ jobs: [], hasMore: false }) }),
  });
  await blind.drive(1);
  expect(await world.outcomes()).toEqual(['unknown', null, null]);
  return { world, worker: await world.worker() };
}

describe('settleUnknown', () => {
  it('adopts the job that the list shows by now, and the row goes on', async () => {
    const { world, worker } = await withUnknown();
    const { deps } = worker;
    expect(await settleUnknown(deps, [1])).toMatchObject([{ row: 1, type: 'adopted' }]);
    expect(await world.row()).toMatchObject({ outcome: null, state: 'processing' });
    expect(await settleUnknown(deps, [1])).toMatchObject([{ row: 1, type: 'moved-on' }]);
    await worker.drive(1);
    expect((await world.row()).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(1);
  });

  it('finds a result that was stored before its process died', async () => {
    const { world } = await begin([tts('At once.')], { wanted: { tts: 'sync' } });
    const { worker } = await world.stopAt('after-answer');
    const failure = { class: 'OutcomeUnknown', message: 'lost' } as const;
    await world.ledger.settle(keyOf(1), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    expect(await settleUnknown(worker.deps, [1])).toMatchObject([{ type: 'found' }]);
    expect((await world.row()).outcome).toBe('succeeded');
  });

  it('says of a row whose answer named the job of another row that it did', async () => {
    const { worker } = await begin([tts('one'), tts('two')]);
    const { ledger } = worker.deps;
    for (const row of [1, 2]) {
      await ledger.intend(keyOf(row), INTENT);
      await ledger.settle(keyOf(row), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    }
    await worker.drive(2);
    const [settled] = await settleUnknown(worker.deps, [2]);
    expect(settled).toMatchObject({
      row: 2,
      type: 'still-unknown',
      answer: expect.stringContaining('job j1, which row 1'),
    });
    expect(settled === undefined ? '' : reconciledLine(settled)).toMatch(
      /^r2 \(row 2\): still unknown: The answer named/,
    );
  });

  it('leaves a row as it is where there is no trace, and one that is not in doubt', async () => {
    const { world, worker } = await begin([tts(), tts('Fine.')], {
      rules: [{ ...LOSES_ANSWERS, match: { text: 'Good' } }],
    });
    await worker.drive(1, 2);
    // Whoever is told of them knows what else can be done; a row that is not there is nobody's.
    expect(await settleUnknown(worker.deps, [1, 2, 3])).toMatchObject([
      { row: 1, type: 'still-unknown', hasList: false, makes: 'job', jobId: null },
      { row: 2, type: 'moved-on' },
    ]);
    expect([(await world.row()).outcome, (await world.row(2)).outcome]).toEqual(['unknown', 'succeeded']);
  });
});

it('settleUnknown, where the list cannot be read, says so, and changes nothing', async () => {
  const { world, worker } = await withUnknown();
  const { deps } = worker;
  const failure = { class: 'BadRequest', message: 'no list for you', status: 403 } as const;
  const api = { ...deps.api, listJobs: () => Promise.reject(new ApiError(failure)) };
  expect(await settleUnknown({ ...deps, api }, [1])).toMatchObject([{ type: 'unreadable', why: 'no list for you' }]);
  expect(await listOrphans({ ...deps, api })).toEqual({ type: 'unreadable', why: 'no list for you' });
  expect((await world.row()).outcome).toBe('unknown');
});

describe('adoptJob', () => {
  it('gives the row the job that a person names, which is fetched then', async () => {
    const { world, worker } = await begin([tts()], { rules: [LOSES_ANSWERS] });
    await worker.drive(1);
    await worker.deps.ledger.closeBatch(BATCH);
    const jobId = world.charges()[0]?.jobId ?? '';
    expect(await adopt(worker.deps, 1, jobId)).toMatchObject({ row: 1, jobId, type: 'adopted' });
    expect(await adopt(worker.deps, 1, 'another')).toMatchObject({
      type: 'refused',
      why: { type: 'adopted-before', jobId, batch: BATCH },
    });
    expect((await worker.deps.ledger.findBatch(BATCH))?.state).toBe('open');
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', charges: [{ jobId, state: 'accepted' }] });
    expect(world.charges()).toHaveLength(1);
  });

  it('names both sums where the job cost another than the row was to cost', async () => {
    const { world, worker } = await begin([tts(), tts()], { rules: [LOSES_ANSWERS] });
    await worker.drive(1, 2);
    const [first, second] = world.charges();
    const readJob: typeof worker.deps.api.readJob = async (operation, jobId, signal) => {
      const reading = await worker.deps.api.readJob(operation, jobId, signal);
      return { ...reading, credits: jobId === second?.jobId ? 19 : (first?.credits ?? 0) };
    };
    const deps = { ...worker.deps, api: { ...worker.deps.api, readJob } };
    expect(await adopt(deps, 1, first?.jobId ?? '')).not.toHaveProperty('otherPrice');
    const quoted = (await world.row(2)).charges[0]?.quoted;
    expect(await adopt(deps, 2, second?.jobId ?? '')).toMatchObject({ otherPrice: { quoted, charged: 19 } });
  });

  it('refuses a job that does not exist, is of another kind, or belongs to a row', async () => {
    const { world, worker } = await begin([tts('lost'), tts('had'), lipSync(), stt()], {
      rules: [{ ...LOSES_ANSWERS, match: { text: 'lost' } }],
    });
    await worker.drive(1, 2, 3);
    const [lost, had, lip] = await Promise.all([1, 2, 3].map(async (row) => (await world.row(row)).charges[0]?.jobId));
    expect(lost).toBeNull();
    const why = async (row: number, jobId: string): Promise<unknown> => {
      const reply = await adopt(worker.deps, row, jobId);
      return reply.type === 'refused' ? reply.why : reply.type;
    };
    const noSpeechJob = { type: 'no-such-job', step: 'speech', words: expect.any(String) };
    expect(await why(1, 'nothing')).toEqual(noSpeechJob);
    expect(await why(1, lip ?? '')).toEqual(noSpeechJob);
    expect(await why(1, had ?? '')).toEqual({
      type: 'job-taken',
      by: { batch: BATCH, row: 2, id: expect.any(String) },
    });
    expect(await why(2, lip ?? '')).toEqual({ type: 'not-in-doubt' });
    // Said once more of its own, as after a kill.
    expect(await why(2, had ?? '')).toBe('adopted');
    expect(await why(4, had ?? '')).toMatchObject({ type: 'makes-no-job', kind: 'stt' });
    expect(await why(9, had ?? '')).toEqual({ type: 'not-in-doubt' });
    expect((await world.row()).outcome).toBe('unknown');
  });

  it('refuses a row whose request is on the wire, and one that makes no job', async () => {
    const { world, worker } = await begin([tts(), stt()], { rules: [LOSES_ANSWERS] });
    await world.stopAt('after-intent');
    await worker.drive(2);
    expect(await adopt(worker.deps, 1, 'j')).toMatchObject({ type: 'refused', why: { type: 'in-flight' } });
    expect(await adopt(worker.deps, 2, 'j')).toMatchObject({
      why: { type: 'makes-no-job', step: 'transcription', kind: 'stt' },
    });
  });
});

describe('listOrphans', () => {
  it('lists what the API made in the time of the batch and no row has, by hosts alone', async () => {
    const { world, worker } = await withUnknown();
    const { deps } = worker;
    const found = await listOrphans(deps);
    const orphan = {
      id: world.charges()[0]?.jobId,
      status: expect.any(String),
      videoHost: 'media.example',
      audioHost: 'media.example',
    };
    expect(found).toMatchObject({ type: 'listed', orphans: [orphan] });
    expect(JSON.stringify(found)).not.toContain('face');
    const jobId = world.charges()[0]?.jobId ?? '';
    expect(await listOrphans(deps, [{ step: 'lip-sync', jobId }])).toEqual({ type: 'listed', orphans: [] });
    expect(await listOrphans(deps, [{ step: 'speech', jobId }])).toMatchObject({ orphans: [orphan] });
    await settleUnknown(deps, [1]);
    expect(await listOrphans(deps)).toEqual({ type: 'listed', orphans: [] });
  });

  it('leaves out what was made before or after, and asks nothing for a batch that never sent', async () => {
    const { deps } = (await withUnknown()).worker;
    const startedAt = (await deps.ledger.findBatch(BATCH))?.startedAt ?? 0;
    const job = { phase: 'running', status: 'queued' } as const;
    const jobs = [
      { ...job, id: 'before', createdAtMs: startedAt - 60_001 },
      { ...job, id: 'in', createdAtMs: startedAt, credits: 7 },
      { ...job, id: 'timeless' },
      { ...job, id: 'after', createdAtMs: Date.now() + 120_000 },
    ];
    const api = { ...deps.api, listJobs: () => Promise.resolve({ jobs, hasMore: false }) };
    const orphans = [
      { id: 'in', status: 'queued', createdAtMs: startedAt, credits: 7 },
      { id: 'timeless', status: 'queued' },
    ];
    expect(await listOrphans({ ...deps, api })).toEqual({ type: 'listed', orphans });
    const fresh = (await begin([lipSync()])).worker;
    expect(await listOrphans(fresh.deps)).toEqual({ type: 'listed', orphans: [] });
  });

  it('are of operations that the batch has: of speech alone, the list of lip-sync jobs says nothing', async () => {
    const { worker } = await begin([tts('Fine.')]);
    await worker.drive(1);
    const { deps } = worker;
    const listJobs = (): never => {
      throw new Error('the list was read');
    };
    expect(await listOrphans({ ...deps, api: { ...deps.api, listJobs } })).toEqual({ type: 'listed', orphans: [] });
  });
});
