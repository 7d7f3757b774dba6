import { expect, it } from '@jest/globals';
import { accept, ask, succeed } from '../actions.ts';
import { aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

ledgerForEachTest();

it('the rows that ended lately are counted, with the first and the last of them', async () => {
  await load(4);
  const begun = Date.now();
  expect(await ledger.recentEnds('b', begun)).toEqual({ rows: 0, first: 0, last: 0 });
  for (const row of [1, 2]) await succeed(row);
  const { rows, first, last } = await ledger.recentEnds('b', begun);
  expect({ rows, isOrdered: begun <= first && first <= last }).toEqual({ rows: 2, isOrdered: true });
  expect(await ledger.recentEnds('b', last + 1)).toMatchObject({ rows: 0 });
});

it('the oldest row is the open one whose job has run the longest, and no row whose job nobody waits for', async () => {
  await load(4);
  expect(await ledger.oldestRow('b')).toBeUndefined();
  for (const row of [3, 2, 4]) await accept(row);
  await ask(1);
  expect(await ledger.oldestRow('b')).toEqual({
    row: 3,
    id: 'r3',
    partOf: null,
    step: 'speech',
    since: expect.any(Number),
    waitedSince: expect.any(Number),
  });
  await ledger.changeRunning(aKey(3), { outcome: 'overdue' });
  expect(await ledger.oldestRow('b')).toMatchObject({ row: 2 });
});
