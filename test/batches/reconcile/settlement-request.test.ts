import { describe, expect, it } from '@jest/globals';
import { gatherLeftovers } from '../../../batches/status/leftovers.ts';
import { planSettlement, type SettlementRequest } from '../../../batches/reconcile/settlement-request.ts';
import { unknownRows } from '../../../batches/rows/find-rows.ts';
import { adopt, LOST, lose, redrive, reject, RESUBMIT } from '../../ledger/actions.ts';
import { batchOf, rowOf } from '../../ledger/readings.ts';
import { aRow, ledger, ledgerForEachTest, load, partsOf } from '../../ledger/setup.ts';

/** What `reconcile` means by a row that is spoken in parts: those of its parts that are in doubt. */

/** Row 1 is spoken in parts, which are rows 3, 4 and 5; row 2 is whole. */
ledgerForEachTest(() => load([{ ...aRow(1), parts: partsOf(3, 'One.', 'Two.', 'Three.') }, aRow(2)]));

async function find(wish: SettlementRequest): ReturnType<typeof planSettlement> {
  return planSettlement(ledger, await batchOf(), wish);
}

describe('a row in parts', () => {
  it('is to be looked up and sent again by its unknown parts, whichever name is given', async () => {
    for (const row of [3, 5]) await lose(row);
    await reject(4);
    expect(await find({})).toMatchObject({ type: 'found', searchFor: [3, 5] });
    expect(await find({ resubmit: ['r1'] })).toMatchObject({ again: [3, 5], searchFor: [3, 5] });
    expect(await find({ resubmit: ['#1'] })).toMatchObject({ again: [3, 5] });
    expect(await find({ resubmit: ['r1#3'] })).toMatchObject({ again: [5], searchFor: [5] });
    expect(await find({ rows: ['r1'] })).toMatchObject({ again: [], searchFor: [3, 5] });
    expect(await find({ resubmit: ['r1#2'] })).toEqual({ type: 'not-unknown', word: 'r1#2' });
    expect(await find({ resubmit: ['#4'] })).toEqual({ type: 'not-unknown', word: '#4' });
    expect(await find({ resubmit: ['#6'] })).toEqual({ type: 'no-row', word: '#6' });
  });

  it('has parts in doubt while others run, and where a graver part hides them', async () => {
    await lose(5, LOST, { outcome: 'failed', failure: LOST });
    expect(await unknownRows(ledger, 'b')).toEqual([5]);
    await reject(3);
    await reject(4);
    expect((await rowOf(1)).failure?.class).toBe('BadRequest');
    expect(await unknownRows(ledger, 'b')).toEqual([5]);
  });

  it('gets a job by its name if one part alone is unknown, and names them otherwise', async () => {
    await lose(3);
    await lose(5);
    const several = {
      type: 'several-parts',
      word: 'r1',
      parts: [
        { row: 3, id: 'r1#1', partOf: 1 },
        { row: 5, id: 'r1#3', partOf: 1 },
      ],
    };
    expect(await find({ adopt: [{ row: 'r1', job: 'j' }] })).toEqual(several);
    expect(await find({ adopt: [{ row: 'r1#3', job: 'j' }] })).toMatchObject({ adoptions: [{ row: 5, jobId: 'j' }] });
    expect(await adopt(3, 'j')).toBe(true);
    expect(await find({ adopt: [{ row: 'r1', job: 'k' }] })).toMatchObject({ adoptions: [{ row: 5, jobId: 'k' }] });
    expect(await find({ release: ['r1'] })).toMatchObject({ releases: [{ row: 3 }] });
    expect(await adopt(5, 'k')).toBe(true);
    expect(await find({ release: ['r1'] })).toMatchObject({ type: 'several-parts' });
    // The same command again, as after a kill.
    expect(await find({ adopt: [{ row: 'r1', job: 'k' }] })).toMatchObject({ adoptions: [{ row: 5, jobId: 'k' }] });
  });

  it('has an earlier take settled by the part that was sent again', async () => {
    await lose(3);
    await reject(4);
    await reject(5);
    await redrive(3, RESUBMIT);
    expect(await find({ notCharged: ['r1/1'] })).toMatchObject({ notCharged: [{ row: 3, take: 1 }] });
    expect(await find({ adopt: [{ row: 'r1/1', job: 'j' }] })).toMatchObject({ adoptions: [{ row: 3, take: 1 }] });
  });

  it('is left over by its parts, which are named', async () => {
    for (const row of [2, 3, 4, 5]) await lose(row);
    const { lost } = await gatherLeftovers(ledger, await batchOf(), await ledger.counts('b'));
    expect(lost.unlisted).toMatchObject({ count: 4, parts: 3 });
    expect(lost.unlisted.first.map(({ id }) => id)).toEqual(['r2', 'r1#1', 'r1#2', 'r1#3']);
  });
});
