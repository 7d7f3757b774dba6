import { describe, expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { redriveNow } from '../ledger/setup.ts';
import { BATCH, keyOf, tts, dub, type Wanted } from './rows.ts';
import { findingAllSilent, type Worker } from './worker.ts';
import { createWorld, type World } from './world.ts';

/** Results that the store kept although they did not pass a check: paid once, downloaded once, and no more until a person says so. */

const ACCEPT = { row: 1, take: 1, how: { type: 'accept' } } as const;

let world: World;
let worker: Worker;
let writes: number;

async function begin(spec: RowSpec, wanted: Wanted = {}): Promise<void> {
  world = await createWorld();
  writes = 0;
  await world.fill([spec], wanted);
  worker = await world.worker({
    store: findingAllSilent(() => {
      writes += 1;
    }),
  });
}

describe('a result that did not pass a check', () => {
  it('ends its row unfit, kept and paid, and is neither downloaded nor paid for again by itself', async () => {
    await begin(tts());
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    const row = await world.row();
    expect(row).toMatchObject({
      outcome: 'unfit',
      failure: { class: 'Unfit', cause: 'result is silent' },
      file: { extension: 'mp3', unfit: 'silent' },
    });
    expect(row.charges).toMatchObject([{ state: 'accepted', failure: { class: 'Unfit' }, file: row.file }]);
    expect(row.charges[0]?.charged).toBeGreaterThan(0);
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect([writes, await world.paidRequests()]).toEqual([1, 1]);
  });

  it('that was the answer itself ends its row in the same way, also where it is only found in the store', async () => {
    await begin(tts(), { tts: 'sync' });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({
      outcome: 'unfit',
      charges: [{ state: 'done', failure: { class: 'Unfit' } }],
    });

    await begin(tts(), { tts: 'sync' });
    await world.stopAt('after-answer');
    await worker.reconcile(keyOf(1));
    expect(await world.row()).toMatchObject({
      outcome: 'unfit',
      charges: [{ state: 'done', failure: { class: 'Unfit' } }],
    });
  });

  it('of the first step of a chain pays for no other step until it is accepted', async () => {
    await begin(dub());
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'unfit', file: { extension: 'mp3' } });
    expect(await world.paidRequests()).toBe(1);
    await redriveNow(world.ledger, BATCH, [ACCEPT]);
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', file: { extension: 'mp4' } });
    expect(world.operations()).toEqual(['speech-job', 'lip-sync-job']);
  });
});
