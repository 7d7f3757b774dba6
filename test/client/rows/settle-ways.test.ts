import { expect, it } from '@jest/globals';
import { settingsOf } from '../../../client/read-options.ts';
import { explain } from '../../../client/rows/explain.ts';
import { settleWays } from '../../../client/rows/settle-ways.ts';
import { fail, finish, lose, redrive, RESUBMIT, succeed, UNFIT, accept, FILE } from '../../ledger/actions.ts';
import { aRow, ledger, ledgerForEachTest, load, partsOf } from '../../ledger/setup.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

ledgerForEachTest();

/** What is open to a person: way, what it is about, and what may have been charged. */
async function waysOf(id: string): Promise<readonly (string | number | null)[][]> {
  const settings = settingsOf({ home: freshFolder(), ledger: ledger.place });
  const answer = await explain(ledger, settings, { first: id, named: 'b' });
  if (answer.type !== 'explained') throw new Error(answer.type);
  return settleWays(answer.row).map(({ way, row, mayHaveCost }) => [way, row, mayHaveCost]);
}

it('a lost request is given its job or paid for again, by its part where the row has parts, and nothing else is', async () => {
  await load([aRow(1), aRow(2), aRow(3), { ...aRow(4), parts: partsOf(5, 'one', 'two') }]);
  await succeed(1);
  await lose(2);
  await fail(3);
  await succeed(5);
  await lose(6);
  expect(await waysOf('r1')).toEqual([]);
  expect(await waysOf('r2')).toEqual([
    ['adopt', 'r2', 2.5],
    ['resubmit', 'r2', 2.5],
  ]);
  expect(await waysOf('r3')).toEqual([]);
  expect(await waysOf('r4')).toEqual([
    ['adopt', 'r4#2', 2.5],
    ['resubmit', 'r4#2', 2.5],
  ]);
});

it('a request of an earlier take was charged or not, and the row can go back to a take that has a result', async () => {
  await load(2);
  await lose(1);
  await redrive(1, RESUBMIT);
  await succeed({ ...{ batch: 'b', row: 1, step: 'speech', take: 2, attempt: 1 } });
  expect(await waysOf('r1')).toEqual([
    ['not-charged', 'r1/1', 2.5],
    ['adopt', 'r1/1', 2.5],
  ]);
  await succeed(2);
  await redrive(2);
  await succeed({ batch: 'b', row: 2, step: 'speech', take: 2, attempt: 1 }, undefined, {
    ...FILE,
    key: 'b/2-speech-2.mp3',
  });
  expect(await waysOf('r2')).toEqual([['accept', 'r2/1', null]]);
});

it('a result that failed a check can be accepted', async () => {
  await load(1);
  await accept(1);
  await finish(1, { file: FILE }, { outcome: 'unfit', failure: UNFIT, file: FILE });
  expect(await waysOf('r1')).toEqual([['accept', 'r1', null]]);
});
