import { env } from 'node:process';
import { expect, it } from '@jest/globals';
import { addBatch, finish, intend, keyOf } from '../../results/sample-batch.ts';
import { expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();

/** A restored ledger: of four rows, it has one with its result; two more have theirs in the store. */
async function restored(): Promise<void> {
  const row = (id: string) => ({ id, kind: 'tts', input: [id, 'one'] }) as const;
  await addBatch(place, ['id', 'text'], [row('a'), row('b'), row('c'), row('d')]);
  const { layout } = (await place.ledger.findBatch('demo')) ?? {};
  const at = (file: string): string => `${layout?.stem ?? ''}/0000/${file}`;
  await finish(place, keyOf(1), await place.store.put(at('1-speech-1-job-0123456789ab.mp3'), 'sound'), 3);
  await intend(place, keyOf(3));
  for (const file of ['2-speech-1-job-0123456789ac.mp3', '3-speech-1.mp3', '4-speech-1-cached-0123456789ad.mp3'])
    await place.store.put(at(file), file);
  await run('ledger accept-copy');
}

it('ledger compare-store puts rows on record whose results are there, and says what stays unproven', async () => {
  await restored();
  await expectRun('ledger compare-store', 0, {
    out: '',
    err: [
      /Batch "demo": 2 rows have their results in .*, and no answer on record\. .*not sent again\. .*: voxbatch reconcile demo/,
      /Not proven: what was sent from .* to .*, and has no file yet\. `voxbatch resume demo` sends what is left, 1 row at most, .*no list of speech/,
    ],
  });
  const { value } = await json('status demo');
  expect(value).toMatchObject({ outcomes: { unknown: 2, succeeded: 1 } });
  await expectRun('explain b --batch demo', 0, {
    out: /speech.*unknown[^]*Its result is in the store \(.*2-speech-1-job-/,
  });
  await expectRun('history demo', 0, { out: /: compare-store, 2 rows/ });
  await expectRun('ledger compare-store', 0, { err: 'Batch "demo": no result in' });
});

it('ledger compare-store has nothing to compare where no copy was accepted, and needs the store of the ledger', async () => {
  await expectRun('ledger compare-store', 0, { err: 'has no batch to compare' });
  await restored();
  env['VOXBATCH_STORE'] = `${place.folder}/elsewhere`;
  await expectRefused('ledger compare-store', 'elsewhere');
});
