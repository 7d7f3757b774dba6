import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { explainRow } from '../../../batches/look/explain.ts';
import { gatherLeftovers } from '../../../batches/look/leftovers.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { lostFile } from '../../../policy/redrive/lost-file.ts';
import type { SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { workOn } from '../cached.ts';
import { fillInParts, PARTS } from '../in-parts.ts';
import { BATCH, type Wanted } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type World } from '../world.ts';

async function worldOf(
  options: SimulatorOptions = {},
  wanted: Wanted = {},
  spoken: Partial<RowSpec> = {},
): Promise<World> {
  const world = await createWorld(options);
  await fillInParts(world, wanted, BATCH, spoken);
  return world;
}

async function secondsOfParts(world: World): Promise<number> {
  const parts = await Promise.all(PARTS.map((row) => world.row(row)));
  return parts.reduce((sum, { file }) => sum + (file?.seconds ?? 0), 0);
}

async function end(world: World, worker?: Worker): Promise<void> {
  await workOn(worker ?? (await world.worker()), BATCH);
}

/** Rows whose result is gone, as the next steps tell them apart, and the parts of row 1 that are fetched again free. */
async function priceOfGone(world: World, name = BATCH): Promise<unknown> {
  const ledger = await world.look();
  const batch = await ledger.findBatch(name);
  if (batch === undefined) throw new Error('there is no batch');
  const { failed, fetchable } = await gatherLeftovers(ledger, batch, await ledger.counts(name));
  const explained = await explainRow(ledger, batch, '1');
  const parts = explained.type === 'found' ? explained.history.parts : [];
  const freeParts = parts.filter(({ isFetchable }) => isFetchable).map(({ row }) => row);
  return { free: fetchable.count, paid: failed.get('ResultGone')?.count ?? 0, freeParts };
}

/** Works on the batch until the parts are joined, and dies before that is on record. Returns the dead worker. */
async function dieBeforeRecord(world: World): Promise<Worker> {
  const hold = world.holdAt('before-join-record');
  const dying = await world.worker({ atFaultPoint: hold.atFaultPoint });
  const killed = new AbortController();
  const work = workOn(dying, BATCH, killed.signal);
  await hold.reached;
  killed.abort();
  dying.stop();
  await work;
  return dying;
}

describe('a row whose text is spoken in parts', () => {
  it('pays for each part once, and becomes one file as long as they are together', async () => {
    const world = await worldOf();
    await end(world);
    const row = await world.row(1);
    expect(row).toMatchObject({ outcome: 'succeeded', file: { extension: 'mp3' } });
    expect(row.file?.seconds).toBeCloseTo(await secondsOfParts(world), 2);
    expect(world.charges()).toHaveLength(3);
    expect(row.charges.map(({ jobId }) => jobId).toSorted()).toEqual(
      world
        .charges()
        .map(({ jobId }) => jobId)
        .toSorted(),
    );
  });

  it('becomes no file while a part has none; only that part is paid again', async () => {
    const rule = { on: 'create', match: { text: 'Two is' }, fault: 'job-fails', times: 1 } as const;
    const world = await worldOf({ plan: { rules: [rule] } });
    await end(world);
    expect(await world.row(1)).toMatchObject({ outcome: 'failed', file: null, failure: { class: 'JobFailed' } });
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await redriveNow(await world.look(), BATCH, [{ row: 3, take: 1, how }]);
    await end(world);
    const row = await world.row(1);
    expect(row).toMatchObject({ outcome: 'succeeded', take: 2 });
    expect(row.file?.seconds).toBeCloseTo(await secondsOfParts(world), 2);
    expect(world.charges()).toHaveLength(4);
  });

  it('is joined by the next holder if the process dies before the record', async () => {
    const world = await worldOf();
    await dieBeforeRecord(world);
    await end(world);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
    expect(world.charges()).toHaveLength(3);
  });

  it('is joined although its batch is paused, once its parts are there', async () => {
    const world = await worldOf();
    await dieBeforeRecord(world);
    await (await world.look()).setControl(BATCH, 'paused');
    await end(world);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
  });

  it('keeps what it was joined to before if its parts cannot be joined after a new take of one', async () => {
    const world = await worldOf();
    await end(world);
    const { file } = await world.row(1);
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await redriveNow(await world.look(), BATCH, [{ row: 3, take: 1, how }]);
    const worker = await world.worker();
    jest
      .spyOn(worker.deps.store, 'join')
      .mockResolvedValue({ type: 'unjoinable', why: 'they are of different formats' });
    await end(world, worker);
    expect(await world.row(1)).toMatchObject({
      outcome: 'succeeded',
      failure: null,
      take: 2,
      file: { ...file, oddity: expect.stringContaining('they are of different formats') },
    });
    // The part that would not fit goes back, and the row with it.
    const earlier = { take: 1, who: 'ann@home' };
    await redriveNow(await world.look(), BATCH, [{ row: 3, take: 2, how: { type: 'accept', earlier } }]);
    await end(world);
    expect((await world.row(1)).file).toEqual(file);
    expect(world.charges()).toHaveLength(4);
  });

  it('fails if its parts cannot be joined, and never were', async () => {
    const world = await worldOf();
    const worker = await world.worker();
    jest.spyOn(worker.deps.store, 'join').mockResolvedValue({ type: 'unjoinable', why: 'they are silent' });
    await end(world, worker);
    expect(await world.row(1)).toMatchObject({ outcome: 'failed', file: null, failure: { class: 'NotJoined' } });
  });

  it('fetches a part again whose file is gone, free', async () => {
    const world = await worldOf();
    const dead = await dieBeforeRecord(world);
    const gone = (await world.row(3)).file?.key ?? '';
    await rm(dead.deps.store.pathOf(gone) ?? '');
    await end(world);
    expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    expect(await priceOfGone(world)).toEqual({ free: 1, paid: 0, freeParts: [3] });
    await redriveNow(await world.look(), BATCH, [{ row: 3, take: 1, how: { type: 'wait' } }]);
    await end(world);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
    expect(world.charges()).toHaveLength(3);
  });

  it('fetches a verified part again whose file is damaged, free, and does not verify it again', async () => {
    const world = await worldOf({}, {}, { verify: 0.6 });
    const dead = await dieBeforeRecord(world);
    const before = await world.row(3);
    await writeFile(dead.deps.store.pathOf(before.file?.key ?? '') ?? '', 'noise');
    await end(world);
    expect(await world.row(3)).toMatchObject({ outcome: 'failed', failure: { cause: 'a stored file is altered' } });
    expect(world.charges()).toHaveLength(6);
    await redriveNow(await world.look(), BATCH, [{ row: 3, take: 1, how: { type: 'wait' } }]);
    await end(world);
    expect(await world.row(3)).toMatchObject({ outcome: 'succeeded', take: 1, file: before.file });
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
    expect(world.charges()).toHaveLength(6);
  });

  it('is joined again, free, if its joined file is lost', async () => {
    const world = await worldOf();
    await end(world);
    const { file } = await world.row(1);
    const ledger = await world.look();
    const lost = lostFile('missing', 'joined');
    await ledger.redrive(BATCH, [{ row: 1, take: 1, outcome: 'succeeded', how: { type: 'wait' }, lost }]);
    await end(world);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1, file });
    expect(world.charges()).toHaveLength(3);
  });

  it('is cached if all of its parts are, and pays for the one that differs', async () => {
    const world = await worldOf({}, { cache: 'on' });
    await end(world);
    await fillInParts(world, { cache: 'on' }, 'again');
    await workOn(await world.worker(), 'again');
    expect(await world.row(1, 'again')).toMatchObject({ outcome: 'cached', file: { extension: 'mp3' } });
    expect(world.charges()).toHaveLength(3);
  });

  it('is whole again, free, if its part was a copy of an earlier result, and both are gone', async () => {
    const world = await worldOf({}, { cache: 'on' });
    await end(world);
    await fillInParts(world, { cache: 'on' }, 'again');
    const worker = await world.worker();
    await workOn(worker, 'again');
    for (const name of [BATCH, 'again'])
      await rm(worker.deps.store.pathOf((await world.row(3, name)).file?.key ?? '') ?? '');
    const lost = lostFile('missing', 'joined');
    await (await world.look()).redrive('again', [{ row: 1, take: 1, outcome: 'cached', how: { type: 'wait' }, lost }]);
    await workOn(worker, 'again');
    expect(await world.row(1, 'again')).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    expect(await priceOfGone(world, 'again')).toEqual({ free: 1, paid: 0, freeParts: [3] });
    await redriveNow(await world.look(), 'again', [{ row: 3, take: 1, how: { type: 'wait' } }]);
    await workOn(worker, 'again');
    expect(await world.row(3, 'again')).toMatchObject({ outcome: 'cached', take: 1 });
    expect(await world.row(1, 'again')).toMatchObject({ outcome: 'cached', file: { extension: 'mp3' } });
    expect(world.charges()).toHaveLength(3);
  });
});
