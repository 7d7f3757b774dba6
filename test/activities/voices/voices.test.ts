import { describe, expect, it } from '@jest/globals';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import type { FaultPlan } from '../../../simulator/start-simulator.ts';
import { writeFile } from 'node:fs/promises';
import { waitFor } from '../../support/wait-for.ts';
import { sampleFolder, writeSample } from '../../support/samples.ts';
import { BATCH, keyOf } from '../rows.ts';
import { createWorld, begin, type World } from '../world.ts';

const VOICE = (attempt = 1, row = 1) => keyOf(row, attempt, 'voice');

async function voice(name: string): Promise<RowSpec> {
  return { kind: 'voice', name, samples: [await writeSample(await sampleFolder(), 'a.wav')], extra: {} };
}

async function worldOf(names: readonly string[], rules: NonNullable<FaultPlan['rules']> = []): Promise<World> {
  const { world } = await begin(await Promise.all(names.map(voice)), { rules });
  return world;
}

/** The ids of the voices that the simulator charged for. */
const madeIn = (world: World): readonly (string | null)[] => world.charges().map(({ jobId }) => jobId);

/** Makes a voice behind the back of the batch. */
async function makeElsewhere(world: World, name: string): Promise<void> {
  const form = new FormData();
  form.set('name', name);
  form.set('audioFiles', new Blob([Buffer.from('RIFF0000WAVE')]), 'a.wav');
  await world.post('/voices', form);
}

const LOST: NonNullable<FaultPlan['rules']>[number] = { on: 'create', match: { nth: 1 }, fault: 'reset-after' };

describe('rows that make voices', () => {
  it('POST /voices: each pays once, and its result is the id of the voice', async () => {
    const world = await worldOf(['Anna', 'Ben']);
    const worker = await world.worker();
    for (const row of [1, 2]) expect(await worker.drive(row)).toEqual({ type: 'ended' });
    expect(world.charges().map(({ operation, name, credits }) => [operation, name, credits])).toEqual([
      ['voice', 'Anna', 2_000],
      ['voice', 'Ben', 2_000],
    ]);
    for (const [at, id] of madeIn(world).entries()) {
      const row = await world.row(at + 1);
      expect(row).toMatchObject({ outcome: 'succeeded', text: id, file: null });
      expect(row.charges).toMatchObject([
        { step: 'voice', state: 'done', jobId: id, charged: 2_000, nameWasFree: true },
      ]);
    }
  });

  it('POST /voices: a lost answer is found in the list by the name', async () => {
    const world = await worldOf(['Anna'], [LOST]);
    expect(await (await world.worker()).drive(1)).toEqual({ type: 'ended' });
    const [id] = madeIn(world);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', text: id });
    expect((await world.row()).charges).toMatchObject([{ state: 'done', jobId: id }]);
    expect(world.charges()).toHaveLength(1);
  });

  it('POST /voices: killed before the answer, the next worker finds the voice by what was recorded before', async () => {
    const world = await worldOf(['Anna'], [{ on: 'create', fault: { kind: 'hang', accepted: true } }]);
    const killed = await world.worker();
    void killed.submit(VOICE());
    await waitFor(() => world.charges().length === 1);
    const next = await world.worker();
    expect(await next.reconcile(VOICE())).toEqual({ verdict: 'done', next: { type: 'ended' } });
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', text: madeIn(world)[0] });
    expect(await world.paidRequests()).toBe(1);
  });

  it('reads the list once for a request that waits for room many times a second', async () => {
    const world = await worldOf(['Anna']);
    let readings = 0;
    let full = 10;
    const worker = await world.worker({
      api: (api) => ({
        listVoices: (...args) => {
          readings += 1;
          return api.listVoices(...args);
        },
      }),
      ledger: (ledger) => ({
        intend: async (...args) => {
          const snapshot = await ledger.readRow(BATCH, 1);
          return full-- > 0 && snapshot !== undefined ? { type: 'full', ...snapshot } : ledger.intend(...args);
        },
      }),
    });
    expect(await worker.submit(VOICE())).toMatchObject({ verdict: 'done' });
    expect({ full, readings }).toEqual({ full: -1, readings: 1 });
    expect((await world.row()).charges).toMatchObject([{ nameWasFree: true }]);
  });

  it('POST /voices: a name that was taken before leaves the row unknown', async () => {
    const world = await worldOf(['Anna'], [{ ...LOST, match: { nth: 2 } }]);
    await makeElsewhere(world, 'Anna');
    expect(await (await world.worker()).drive(1)).toEqual({ type: 'ended' });
    expect(await world.row()).toMatchObject({ outcome: 'unknown', text: null });
    expect((await world.row()).charges).toMatchObject([{ state: 'unknown', nameWasFree: false }]);
  });

  it('POST /voices: two lost requests for one name take no voice, and neither is sent again', async () => {
    const world = await worldOf(['Anna', 'Anna'], [{ on: 'create', fault: { kind: 'hang', accepted: true } }]);
    const killed = await world.worker();
    void killed.submit(VOICE());
    void killed.submit(VOICE(1, 2));
    await waitFor(() => world.charges().length === 2);
    const next = await world.worker();
    for (const row of [1, 2]) expect((await next.reconcile(VOICE(1, row))).verdict).toBe('unknown');
    expect(await world.paidRequests()).toBe(2);
  });

  it('POST /voices: a voice that another row has is not given to a second one', async () => {
    const world = await worldOf(['Anna', 'Anna']);
    await world.stopAt('after-intent', (killed) => killed.submit(VOICE()));
    const next = await world.worker();
    expect(await next.drive(2)).toEqual({ type: 'ended' });
    expect((await next.reconcile(VOICE())).verdict).toBe('unknown');
    expect(await world.row(2)).toMatchObject({ outcome: 'succeeded', text: madeIn(world)[0] });
    expect(world.charges()).toHaveLength(1);
  });

  it('POST /voices: without the list no lost voice is recognised, but the voice is made', async () => {
    const world = await worldOf(
      ['Anna', 'Ben'],
      [
        { on: 'list', fault: { kind: 'status', status: 403 } },
        { ...LOST, match: { nth: 2 } },
      ],
    );
    const worker = await world.worker();
    await worker.drive(1, 2);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded' });
    expect((await world.row()).charges).toMatchObject([{ nameWasFree: null }]);
    expect(await world.row(2)).toMatchObject({ outcome: 'unknown' });
  });

  it('POST /voices: a recording that has changed fails its row, and nothing is charged', async () => {
    const world = await createWorld();
    const spec = await voice('Anna');
    await world.fill([spec]);
    await writeFile(spec.samples?.[0]?.path ?? '', 'RIFF another content');
    expect(await (await world.worker()).drive(1)).toEqual({ type: 'ended' });
    expect(await world.row()).toMatchObject({
      outcome: 'failed',
      failure: { class: 'BadRequest', message: expect.stringContaining('nothing was charged') },
    });
    expect(await world.paidRequests()).toBe(0);
  });

  it('POST /voices: no credits pause the batch', async () => {
    const world = await worldOf(['Anna']);
    await world.change('settings', { credits: 1_999 });
    await (await world.worker()).drive(1);
    expect(await world.batch()).toMatchObject({ control: 'paused' });
    expect(world.charges()).toEqual([]);
  });
});
