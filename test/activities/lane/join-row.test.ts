import { rm } from 'node:fs/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { explainRow } from '../../../batches/rows/explain.ts';
import { gatherLeftovers } from '../../../batches/status/leftovers.ts';
import { lostFile } from '../../../policy/redrive/lost-file.ts';
import type { Joined } from '../../../store/store.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { BATCH, PARTS, type Wanted, type Rule } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type World } from '../world.ts';

/** Row 1 is spoken in parts, which are rows 2, 3 and 4. */
async function inParts(wanted: Wanted = {}, ...rules: readonly Rule[]): Promise<World> {
  const world = await createWorld({ rules: [...rules] });
  await world.fillInParts(PARTS, wanted);
  return world;
}

async function secondsOfParts(world: World): Promise<number> {
  const parts = await Promise.all([2, 3, 4].map((row) => world.row(row)));
  return parts.reduce((sum, { file }) => sum + (file?.seconds ?? 0), 0);
}

/** Pays for another take of a part, or reads its job again. */
async function again(world: World, how: 'pay' | 'wait', name = BATCH): Promise<void> {
  const pay = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
  await redriveNow(world.ledger, name, [{ row: 3, take: 1, how: how === 'pay' ? pay : { type: how } }]);
}

/** Rows whose result is gone, as the next steps tell them apart, and the parts of row 1 that are fetched again free. */
async function priceOfGone(world: World, name = BATCH): Promise<unknown> {
  const { ledger } = world;
  const batch = await world.batch(name);
  const { failed, fetchable } = await gatherLeftovers(ledger, batch, await ledger.counts(name));
  const explained = await explainRow(ledger, batch, '1');
  const parts = explained.type === 'found' ? explained.history.parts : [];
  const freeParts = parts.filter(({ isFetchable }) => isFetchable).map(({ row }) => row);
  return { free: fetchable.count, paid: failed.get('ResultGone')?.count ?? 0, freeParts };
}

/** Works on the batch until the parts are joined, and dies before that is on record. */
async function dieBeforeRecord(world: World): Promise<void> {
  const killed = new AbortController();
  const { worker, ended } = await world.stopAt('before-join-record', (dying) => dying.work(BATCH, killed.signal));
  killed.abort();
  worker.stop();
  await ended;
}

/** Works on the batch with a store that cannot join. */
async function workUnjoining(world: World, why: string): Promise<void> {
  const worker: Worker = await world.worker();
  const unjoinable: Joined = { type: 'unjoinable', why };
  jest.spyOn(worker.deps.store, 'join').mockResolvedValue(unjoinable);
  await worker.work();
}

describe('a row whose text is spoken in parts', () => {
  it('pays for each part once, and becomes one file as long as they are together', async () => {
    const world = await inParts();
    await world.work();
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', file: { extension: 'mp3' } });
    expect(row.file?.seconds).toBeCloseTo(await secondsOfParts(world), 2);
    expect(new Set(row.charges.map(({ jobId }) => jobId))).toEqual(new Set(world.charges().map(({ jobId }) => jobId)));
    expect([row.charges.length, world.charges().length]).toEqual([3, 3]);
  });

  it('becomes no file while a part has none; only that part is paid again', async () => {
    const world = await inParts({}, { on: 'create', match: { text: 'Two is' }, fault: 'job-fails', times: 1 });
    await world.work();
    expect(await world.row()).toMatchObject({ outcome: 'failed', file: null, failure: { class: 'JobFailed' } });
    await again(world, 'pay');
    await world.work();
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', take: 2 });
    expect(row.file?.seconds).toBeCloseTo(await secondsOfParts(world), 2);
    expect(world.charges()).toHaveLength(4);
  });

  it('is joined by the next holder if the process dies before the record, although its batch is paused', async () => {
    for (const control of ['running', 'paused'] as const) {
      const world = await inParts();
      await dieBeforeRecord(world);
      await world.ledger.setControl(BATCH, control);
      await world.work();
      expect(await world.outcomes()).toEqual(['succeeded']);
      expect(world.charges()).toHaveLength(3);
    }
  });

  it('keeps what it was joined to before if its parts cannot be joined after a new take of one', async () => {
    const world = await inParts();
    await world.work();
    const { file } = await world.row();
    await again(world, 'pay');
    await workUnjoining(world, 'they are of different formats');
    const oddity = expect.stringContaining('they are of different formats');
    expect(await world.row()).toMatchObject({
      outcome: 'succeeded',
      failure: null,
      take: 2,
      file: { ...file, oddity },
    });
    // The part that would not fit goes back, and the row with it.
    const earlier = { take: 1 };
    await redriveNow(world.ledger, BATCH, [{ row: 3, take: 2, how: { type: 'accept', earlier } }]);
    await world.work();
    expect((await world.row()).file).toEqual(file);
    expect(world.charges()).toHaveLength(4);
  });

  it('fails if its parts cannot be joined, and never were', async () => {
    const world = await inParts();
    await workUnjoining(world, 'they are silent');
    expect(await world.row()).toMatchObject({ outcome: 'failed', file: null, failure: { class: 'NotJoined' } });
  });

  it('fetches a part again whose file is gone, free', async () => {
    const world = await inParts();
    await dieBeforeRecord(world);
    await rm(await world.pathOf(3));
    await world.work();
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    expect(await priceOfGone(world)).toEqual({ free: 1, paid: 0, freeParts: [3] });
    await again(world, 'wait');
    await world.work();
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(3);
  });

  it('is cached if all of its parts are, and whole again, free, if the files of a part and of its original are gone', async () => {
    const world = await inParts({ cache: 'on' });
    await world.work();
    await world.fillInParts(PARTS, { cache: 'on', name: 'again' });
    await world.work('again');
    const cached = { outcome: 'cached', file: { extension: 'mp3' } };
    expect(await world.row(1, 'again')).toMatchObject(cached);
    expect(world.charges()).toHaveLength(3);
    for (const name of [BATCH, 'again']) await rm(await world.pathOf(3, name));
    const lost = lostFile('missing', 'joined');
    await world.ledger.redrive('again', [{ row: 1, take: 1, outcome: 'cached', how: { type: 'wait' }, lost }]);
    await world.work('again');
    expect(await world.row(1, 'again')).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    expect(await priceOfGone(world, 'again')).toEqual({ free: 1, paid: 0, freeParts: [3] });
    await again(world, 'wait', 'again');
    await world.work('again');
    expect(await world.row(3, 'again')).toMatchObject({ outcome: 'cached', take: 1 });
    expect(await world.row(1, 'again')).toMatchObject(cached);
    expect(world.charges()).toHaveLength(3);
  });
});
