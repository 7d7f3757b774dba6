/** @slow */
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../../support/wait-for.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { BATCH, INTENT, keyOf, lipSync, dub } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, begin, type World } from '../world.ts';

const HANG = { on: 'create', operation: 'lip-sync-job', fault: { kind: 'hang', accepted: true } } as const;
const at = (row: number): ReturnType<typeof keyOf> => keyOf(row, 1, 'lip-sync');

/** Sends lip-syncs whose answers never come, as if their worker had died. */
async function lose(world: World, rows: readonly number[]): Promise<void> {
  const killed = await world.worker();
  const before = world.charges().length;
  for (const row of rows) void killed.submit(at(row));
  await waitFor(() => world.charges().length === before + rows.length);
}

/** A batch of these rows, whose answers are lost. */
async function beginLost(specs: readonly RowSpec[], options: Parameters<typeof begin>[1], rows = [1]): Promise<World> {
  const { world } = await begin(specs, options);
  await lose(world, rows);
  return world;
}

/** How a row ends by a worker, if nothing else is said a new one. */
async function outcomeAfter(world: World, row: number, worker?: Worker): Promise<string | null> {
  await (worker ?? (await world.worker())).drive(row);
  return (await world.row(row)).outcome;
}

describe('a lost lip-sync create', () => {
  it('is adopted from a list that echoes its inputs', async () => {
    const world = await beginLost([lipSync()], { rules: [HANG], echoInputs: true });
    const worker = await world.worker();
    expect(await worker.reconcile(at(1))).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await outcomeAfter(world, 1, worker)).toBe('succeeded');
    expect((await world.row()).charges[0]?.jobId).toBe(world.charges()[0]?.jobId);
    expect(await world.paidRequests()).toBe(1);
  });

  it('is told from others by its inputs where the list echoes them', async () => {
    const options = { rules: [HANG], echoInputs: true };
    const world = await beginLost([lipSync(1), lipSync(2), lipSync(3)], options, [1, 2, 3]);
    const worker = await world.worker();
    for (const row of [3, 1, 2]) expect(await outcomeAfter(world, row, worker)).toBe('succeeded');
    const made = new Map(world.charges().map(({ jobId, videoUrl }) => [jobId, videoUrl]));
    for (const row of [1, 2, 3]) {
      expect(made.get((await world.row(row)).charges[0]?.jobId ?? null)).toBe(lipSync(row).video);
    }
  });

  it.each([true, false])('is unknown where two jobs fit, echoing their inputs: %s', async (echoInputs) => {
    const world = await beginLost([lipSync()], { rules: [{ ...HANG, match: { nth: 1 } }], echoInputs });
    await world.makeJob(lipSync());
    expect(await outcomeAfter(world, 1)).toBe('unknown');
    expect(await world.ledger.closeBatch(BATCH)).toBe(0);
  });

  it('is unknown where the list does not echo, for the only job in it may be a stranger’s', async () => {
    const never = { on: 'create', match: { nth: 1 }, fault: 'hang' } as const;
    const { world } = await begin([lipSync(1)], { rules: [never], echoInputs: false });
    void (await world.worker()).submit(at(1));
    await waitFor(async () => (await world.paidRequests()) === 1);
    // Another program on the account makes the only job that there is.
    await world.makeJob(lipSync(2));
    expect(await outcomeAfter(world, 1)).toBe('unknown');
    expect((await world.row()).charges).toMatchObject([{ state: 'unknown', jobId: null }]);
  });

  it('is unknown where the list does not echo and others are outstanding', async () => {
    const rules = [
      { ...HANG, match: { text: 'face-1' } },
      { on: 'create', match: { text: 'face-2' }, fault: 'hang' },
    ] as const;
    const { world } = await begin([lipSync(1), lipSync(2)], { rules: [...rules], echoInputs: false });
    // The second is never accepted. The one job in the list is the first's, but nobody can know that.
    const killed = await world.worker();
    for (const row of [1, 2]) void killed.submit(at(row));
    await waitFor(async () => (await world.paidRequests()) === 2);
    const worker = await world.worker();
    expect(await outcomeAfter(world, 2, worker)).toBe('unknown');
    // Also once the other is not on the wire any more, but unknown itself.
    expect(await outcomeAfter(world, 1, worker)).toBe('unknown');
    expect(world.charges()).toHaveLength(1);
  });

  it('is unknown where a create of another batch is outstanding', async () => {
    const rules = [{ ...HANG, match: { nth: 1 } }];
    const world = await beginLost([lipSync(1)], { rules, echoInputs: false });
    await world.fill([lipSync(2)], { name: 'other' });
    await world.ledger.intend({ ...at(1), batch: 'other' }, INTENT);
    expect(await outcomeAfter(world, 1)).toBe('unknown');
  });

  it('does not take a job that a row has', async () => {
    const { world, worker } = await begin([lipSync(1), lipSync(2)], {
      rules: [{ on: 'create', match: { text: 'face-2' }, fault: 'hang' }],
      echoInputs: false,
    });
    await worker.drive(1);
    const killed = await world.worker();
    void killed.submit(at(2));
    await waitFor(async () => (await world.paidRequests()) === 2);
    expect(await outcomeAfter(world, 2, worker)).toBe('unknown');
    expect(world.charges()).toHaveLength(1);
  });

  it('is looked for again while the list cannot be read for a moment', async () => {
    const down = { on: 'list', fault: { kind: 'status', status: 503 }, times: 2 } as const;
    const world = await beginLost([lipSync()], { rules: [HANG, down], echoInputs: true });
    expect(await outcomeAfter(world, 1)).toBe('succeeded');
  });

  it('is not sent again by itself where the list cannot be read, for its job may be there', async () => {
    const closed = { on: 'list', fault: { kind: 'status', status: 403 } } as const;
    const wanted = { onUnknown: 'resubmit' } as const;
    const world = await beginLost([lipSync()], { rules: [HANG, closed], echoInputs: true, wanted });
    expect(await outcomeAfter(world, 1)).toBe('unknown');
    expect(await world.paidRequests()).toBe(1);
  });

  it('is left alone by a worker that is told to end', async () => {
    const rules = [HANG, { on: 'list', fault: 'hang' } as const];
    const world = await beginLost([lipSync()], { rules, echoInputs: true });
    const ending = await world.worker();
    const looking = ending.reconcile(at(1));
    await waitFor(async () => (await world.statistics()).paidRequests === 1 && ending.deps.reads.activeCount === 1);
    ending.stop();
    await expect(looking).rejects.toThrow('abort');
    expect(await world.attempts()).toEqual(['lip-sync 1 sending']);
    await world.change('plan', { echoInputs: true });
    expect(await outcomeAfter(world, 1)).toBe('succeeded');
  });

  it('does not overwrite the answer that comes while it is looked up', async () => {
    const late = { on: 'create', operation: 'lip-sync-job', fault: { kind: 'late', ms: 150 } } as const;
    const rules = [late, { on: 'list', fault: { kind: 'late', ms: 600 } }] as const;
    const { world } = await begin([lipSync(1), lipSync(2)], { rules: [...rules], echoInputs: false });
    const sender = await world.worker();
    const submitting = sender.submit(at(1));
    await waitFor(() => world.charges().length === 1);
    // Another one in doubt, so that the look-up finds nothing certain.
    await sender.deps.ledger.intend(at(2), INTENT);
    const worker = await world.worker();
    const looking = worker.reconcile(at(1));
    expect(await submitting).toMatchObject({ verdict: 'accepted' });
    expect(await looking).toMatchObject({ next: { type: 'wait' } });
    expect(await outcomeAfter(world, 1, worker)).toBe('succeeded');
  });

  it('is found for a chain by the hash of its speech link, which itself is on no record', async () => {
    const { world } = await begin([dub(), dub('Another.')], { rules: [HANG], echoInputs: true });
    const sender = await world.worker();
    for (const row of [1, 2]) await sender.submit(keyOf(row));
    await sender.wait([[1], [2]]);
    await lose(world, [2, 1]);
    const worker = await world.worker();
    for (const row of [1, 2]) expect(await outcomeAfter(world, row, worker)).toBe('succeeded');
    const links = new Map(world.charges().map(({ jobId, audioUrl }) => [jobId, audioUrl ?? '']));
    for (const row of [1, 2]) {
      const { charges } = await world.row(row);
      const [speech, lipSync] = charges;
      expect(links.get(lipSync?.jobId ?? '')).toContain(`/results/${speech?.jobId ?? 'none'}`);
      expect(lipSync?.linkHash).toMatch(/^[0-9a-f]{64}$/);
      expect(JSON.stringify(charges)).not.toContain('/results/');
    }
    expect(world.charges()).toHaveLength(4);
  });

  it('is adopted by each of two rows that look alike, and by none if a stranger made a third like them', async () => {
    const specs = [lipSync(1), lipSync(1), lipSync(2), lipSync(2)];
    const world = await beginLost(specs, { rules: [HANG], echoInputs: true }, [1, 2, 3, 4]);
    await world.change('plan', { echoInputs: true });
    await world.makeJob(lipSync(2));
    const workers = await Promise.all([world.worker(), world.worker()]);
    const rows = [1, 2, 3, 4];
    const outcomes = await Promise.all(rows.map((row, i) => outcomeAfter(world, row, workers[i % 2])));
    expect(outcomes).toEqual(['succeeded', 'succeeded', 'unknown', 'unknown']);
    const jobs = await Promise.all([1, 2].map(async (row) => (await world.row(row)).charges[0]?.jobId));
    expect(new Set(jobs).size).toBe(2);
  });

  const other = (mode: string): RowSpec => ({ ...lipSync(1), extra: { mode } });
  const never = { ...HANG, fault: { kind: 'hang', accepted: false }, match: { nth: 1 } } as const;

  it('is not taken from a row with the same links that wants something else, and whose answer is still to come', async () => {
    const late = { on: 'create', match: { nth: 1 }, fault: { kind: 'late', ms: 4_000 } } as const;
    const reset = { on: 'create', match: { nth: 2 }, fault: 'reset-before' } as const;
    const { world, worker } = await begin([other('x'), other('y')], { rules: [late, reset], echoInputs: true });
    const first = worker.submit(at(1));
    await waitFor(() => world.charges().length === 1);
    expect(await outcomeAfter(world, 2, worker)).toBe('unknown');
    expect(await first).toMatchObject({ verdict: 'accepted' });
    expect(await outcomeAfter(world, 1, worker)).toBe('succeeded');
    expect(await worker.deps.ledger.money(BATCH)).toMatchObject({ charged: world.charges()[0]?.credits });
  });

  it('is unknown where the one job can be that of another row with the same links', async () => {
    const { world } = await begin([other('x'), other('y')], { rules: [never, HANG], echoInputs: true });
    const killed = await world.worker();
    void killed.submit(at(1));
    await waitFor(async () => (await world.paidRequests()) === 1);
    void killed.submit(at(2));
    await waitFor(() => world.charges().length === 1);
    const worker = await world.worker();
    for (const row of [1, 2]) expect(await outcomeAfter(world, row, worker)).toBe('unknown');
    expect(await worker.deps.ledger.money(BATCH)).toMatchObject({ charged: 0 });
  });

  it('leaves its job to a row just like it that is on the wire, and counts it once', async () => {
    const late = { on: 'create', match: { nth: 2 }, fault: { kind: 'late', ms: 4_000 } } as const;
    const { world } = await begin([lipSync(1), lipSync(1)], { rules: [never, late], echoInputs: true });
    void (await world.worker()).submit(at(1));
    await waitFor(async () => (await world.paidRequests()) === 1);
    const worker = await world.worker();
    const second = worker.submit(at(2));
    await waitFor(() => world.charges().length === 1);
    expect(await outcomeAfter(world, 1, worker)).toBe('unknown');
    await second;
    expect(await outcomeAfter(world, 2, worker)).toBe('succeeded');
    expect(await worker.deps.ledger.money(BATCH)).toMatchObject({ charged: world.charges()[0]?.credits });
  });

  it('is not taken for that of another take, after an edit', async () => {
    const world = await beginLost([lipSync(1)], { rules: [HANG], echoInputs: false });
    const { ledger } = world;
    await ledger.settle(at(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    const edited = { spec: lipSync(2), input: [], quoted: 1 };
    const how = { type: 'pay', fromStep: 'lip-sync', reason: 'resubmitted', edited } as const;
    await ledger.redrive(BATCH, [{ row: 1, take: 1, outcome: 'unknown', how }]);
    // The request of the new take is never accepted; the one job in the list is the old take's.
    await ledger.intend(keyOf(1, 1, 'lip-sync', 2), INTENT);
    expect(await outcomeAfter(world, 1)).toBe('unknown');
    expect(world.charges()).toHaveLength(1);
  });

  it('is found at the second look where the list shows it a moment later', async () => {
    const world = await beginLost([lipSync()], { rules: [HANG], echoInputs: true });
    let looks = 0;
    const worker = await world.worker({
      api: (api) => ({
        listJobs: async (...request) => (++looks === 1 ? { jobs: [], hasMore: false } : api.listJobs(...request)),
      }),
    });
    expect(await outcomeAfter(world, 1, worker)).toBe('succeeded');
    expect(looks).toBe(2);
  });

  it('costs few readings of a long list, however many are looked for', async () => {
    const world = await createWorld({ rules: [HANG], echoInputs: true });
    const rows = Array.from({ length: 30 }, (_, i) => i + 1);
    await world.fill(
      rows.map((row) => lipSync(row)),
      { limits: { submits: 30 } },
    );
    await lose(world, rows);
    await world.change('plan', { echoInputs: true });
    for (const n of rows) await world.makeJob(lipSync(1_000 + n));
    const worker = await world.worker();
    await Promise.all(rows.map((row) => worker.reconcile(at(row))));
    const made = new Map(world.charges().map(({ jobId, videoUrl }) => [jobId, videoUrl]));
    for (const row of rows) {
      expect(made.get((await world.row(row)).charges[0]?.jobId ?? null)).toBe(lipSync(row).video);
    }
    const { endpoints } = await world.statistics();
    const readings = Object.entries(endpoints).filter(([route]) => route === 'GET /media/lip-sync/jobs');
    // Two pages each: those who came first, and those who came while that one was read.
    expect(readings.flatMap(([, statuses]) => Object.keys(statuses))).toEqual(['200']);
    expect(readings[0]?.[1]['200']).toBeLessThanOrEqual(8);
  });
});
