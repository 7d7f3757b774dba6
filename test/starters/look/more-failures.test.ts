import { expect, it } from '@jest/globals';
import { addBatch, intend, keyOf } from '../../results/sample-batch.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

const SAID = ['no voice', 'no engine', 'no format', 'no language', 'too fast', 'too slow', 'too slow'];

it('status says how many kinds of failures it leaves out, and what shows them', async () => {
  const rows = SAID.map((_, at) => ({ id: `r${at}`, kind: 'tts' as const, input: [`r${at}`] }));
  await addBatch(place, ['id'], rows);
  for (const [at, message] of SAID.entries()) {
    const failure = { class: 'BadRequest', message } as const;
    await intend(place, keyOf(at + 1));
    await place.ledger.settle(keyOf(at + 1), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
  }
  await place.ledger.closeBatch('demo');
  const out = ['2 × BadRequest, first in r5 (row 6): too slow', 'and 1 more kind (1 row): voxbatch report demo\n'];
  await expectRun('status', 10, { out });
  expect((await json('status')).value).toMatchObject({ more_failures: { kinds: 1, rows: 1 } });
});
