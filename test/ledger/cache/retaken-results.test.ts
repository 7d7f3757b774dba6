import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowEffect } from '../../../ledger/rows/row-effects.ts';
import { aKey, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** A new take of a row that has a result: it never takes that away. */

const FILE = { key: 'one.mp3', bytes: 1, sha256: 'a', extension: 'mp3' };
const BETTER = { ...FILE, key: 'two.mp3', sha256: 'b' };
const NO = { class: 'JobFailed', message: 'No.' } as const;

let ledger: Ledger;
ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 2);
  expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j', credits: 2.5 }, { state: 'processing' });
  await ledger.finishJob(aKey(1), { file: FILE, credits: 2.5 }, { outcome: 'succeeded', file: FILE });
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
});

const again = aKey(1, 1, 2);
const theRow = async (): Promise<unknown> => (await ledger.readRow('b', 1))?.row;

async function send(): Promise<void> {
  expect(await ledger.intend(again, INTENT)).toMatchObject({ type: 'go' });
  await ledger.settle(again, { verdict: 'accepted', jobId: 'k', credits: 2.5 }, { state: 'processing' });
}

describe('a new take of a row that has a result', () => {
  it.each<[string, RowEffect]>([
    ['fails', { outcome: 'failed', failure: NO }],
    ['does not pass a check', { outcome: 'unfit', file: BETTER, failure: { class: 'Unfit', message: 'Silent.' } }],
  ])('leaves it its result if it %s, and its charge on record', async (_, end) => {
    await send();
    expect(await theRow()).toMatchObject({ outcome: null });
    await ledger.finishJob(again, { failure: NO, credits: 2.5 }, end);
    expect(await theRow()).toMatchObject({ outcome: 'succeeded', file: FILE, failure: null, take: 2 });
    expect(await ledger.money('b')).toMatchObject({ charged: 5 });
    expect((await ledger.readRow('b', 1))?.charges).toMatchObject([{ take: 1 }, { take: 2, failure: NO }]);
  });

  it('leaves it its result if it is refused, or over the budget', async () => {
    await ledger.intend(again, INTENT);
    await ledger.settle(again, { verdict: 'rejected', failure: NO }, { outcome: 'failed', failure: NO });
    expect(await theRow()).toMatchObject({ outcome: 'succeeded', file: FILE });
    await redriveNow(ledger, 'b', [{ row: 1, take: 2, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    await ledger.tune('b', { budget: 3 });
    expect(await ledger.intend(aKey(1, 1, 3), INTENT)).toMatchObject({ type: 'over-budget' });
    expect(await theRow()).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('leaves it its result if the batch is stopped first', async () => {
    await ledger.setControl('b', 'stopping');
    await ledger.cancelRest('b');
    expect(await theRow()).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('leaves it in doubt if its answer was lost, and its result if nothing comes of that', async () => {
    await ledger.intend(again, INTENT);
    await ledger.settle(again, { verdict: 'unknown' }, { outcome: 'unknown' });
    expect(await theRow()).toMatchObject({ outcome: 'unknown' });
    await ledger.settle(again, { verdict: 'rejected', failure: NO }, { outcome: 'failed', failure: NO });
    expect(await theRow()).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('gives it the new result if there is one', async () => {
    await send();
    await ledger.finishJob(again, { file: BETTER, credits: 2.5 }, { outcome: 'succeeded', file: BETTER });
    expect(await theRow()).toMatchObject({ outcome: 'succeeded', file: BETTER });
  });
});
