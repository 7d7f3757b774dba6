import { describe, expect, it } from '@jest/globals';
import type { LaneOwnership } from '../../../ledger/lanes/lanes.ts';
import { ask, send } from '../actions.ts';
import { rowOf } from '../readings.ts';
import { ledger, ledgerForEachTest, load } from '../setup.ts';

ledgerForEachTest();

function take(lane: number): Promise<LaneOwnership> {
  return ledger.acquireLane({ batch: 'b', lane, run: 'run', owner: `worker of lane ${String(lane)}` });
}

/** Claims as one of so many workers; how many rows came, and whether more are free for others. */
async function claim(lane: LaneOwnership, workers: number, limit = 100): Promise<readonly [number, boolean]> {
  const answer = await ledger.claimRows({ ...lane, limit, workers });
  if (answer === 'lost') throw new Error('the lane was lost');
  return [answer.rows.length, answer.isShareFull];
}

describe('the unsent rows of a batch', () => {
  it('are left to the other workers beyond a share, also by the first one that asks, and are claimed in order', async () => {
    await load(120);
    const [first, second] = [await take(1), await take(2)];
    expect(await claim(first, 2)).toEqual([60, true]);
    expect(await claim(first, 2)).toEqual([0, true]);
    expect(await claim(second, 2)).toEqual([60, false]);
    expect(await claim(first, 2)).toEqual([0, false]);
  });

  it('are all for one worker that is alone, and where they are many, each takes what it needs', async () => {
    await load(250);
    const [first, second] = [await take(1), await take(2)];
    expect(await claim(first, 2, 100)).toEqual([100, false]);
    expect(await claim(second, 1, 100)).toEqual([100, false]);
    expect(await claim(second, 1, 100)).toEqual([50, false]);
  });

  it('go on one lane where there are no more than that is worth', async () => {
    await load(40);
    expect(await claim(await take(1), 4)).toEqual([40, false]);
  });

  it('are all claimed in the end, even if one of the workers that are counted never asks', async () => {
    await load(120);
    const only = await take(1);
    let claimed = 0;
    for (let rounds = 0; claimed < 120; rounds++) {
      const answer = await ledger.claimRows({ ...only, limit: 100, workers: 2 });
      if (answer === 'lost') throw new Error('the lane was lost');
      for (const { row } of answer.rows) await send(row.row, { maxSending: 200 });
      claimed += answer.rows.length;
      expect(rounds).toBeLessThan(10);
    }
  });
});

describe('a lane that holds more than its share', () => {
  it('hands its last unsent rows back once none is free for another worker; it can then not send them', async () => {
    await load(120);
    const first = await take(1);
    await claim(first, 1);
    await claim(first, 1);
    await send(120);
    const before = await rowOf(119);
    expect(await ledger.handBackRows(first, 1)).toEqual([]);
    const back = await ledger.handBackRows(first, 2);
    // 119 are unsent: 60 are its share.
    expect(back.map(({ row }) => row)).toEqual(Array.from({ length: 59 }, (_, at) => 119 - at));
    expect(back[0]).toEqual({ row: 119, fence: before.fence + 1 });
    expect(await ask(119, { fence: before.fence })).toBe('blocked');
    expect(await ask(1, { fence: (await rowOf(1)).fence })).toBe('go');
    const second = await take(2);
    expect(await claim(second, 2)).toEqual([59, false]);
    expect((await rowOf(119)).fence).toBe(before.fence + 2);
    // Nothing goes back and forth.
    for (const lane of [first, second]) expect(await ledger.handBackRows(lane, 2)).toEqual([]);
  });

  it('keeps them while others are free, and once another process holds it', async () => {
    await load(120);
    const first = await take(1);
    await claim(first, 1, 100);
    expect(await ledger.handBackRows(first, 2)).toEqual([]);
    await claim(first, 1, 100);
    await take(1);
    expect(await ledger.handBackRows(first, 2)).toEqual([]);
  });
});
