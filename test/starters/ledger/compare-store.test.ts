import { env } from 'node:process';
import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { PROCESS_ENDED } from '../../../policy/reconcile/process-end.ts';
import { jobStemOf } from '../../../store/layout.ts';
import { ANN } from '../../support/ann.ts';
import { addBatch, finish, intend, keyOf, lose } from '../../results/sample-batch.ts';
import { expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();

const row = (id: string) => ({ id, kind: 'tts', input: [id, 'one'] }) as const;

/** The name in the store of a file of the batch. */
async function nameOf(file: string): Promise<string> {
  return `${(await place.ledger.findBatch('demo'))?.layout.stem ?? ''}/0000/${file}`;
}

/** A restored ledger: of four rows, it has one with its result; two more have theirs in the store. */
async function restored(): Promise<void> {
  await addBatch(place, ['id', 'text'], [row('a'), row('b'), row('c'), row('d')]);
  await finish(place, keyOf(1), await place.store.put(await nameOf('1-speech-1-job-0123456789ab.mp3'), 'sound'), 3);
  await intend(place, keyOf(3));
  for (const file of ['2-speech-1-job-0123456789ac.mp3', '3-speech-1.mp3', '4-speech-1-cached-0123456789ad.mp3'])
    await place.store.put(await nameOf(file), file);
  await run('ledger accept-copy');
}

it('ledger compare-store puts rows on record whose results are there, and says what stays unproven', async () => {
  await restored();
  const next = 'compare-store, then voxbatch reconcile demo, then voxbatch ledger accept-copy --compared';
  await expectRun('status demo', 75, { out: next, not: 'voxbatch resume' });
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
  for (let time = 0; time < 2; time += 1)
    await expectRun('ledger accept-copy --compared', 0, { err: ' Paused: demo. Then: voxbatch resume BATCH\n' });
});

/** A restored ledger whose batch had ended: one row has its result, the other one was left out. */
async function ended(): Promise<void> {
  await addBatch(place, ['id', 'text'], [row('a'), row('b')]);
  await finish(place, keyOf(1), await place.store.put(await nameOf('1-speech-1-job-0123456789ab.mp3'), 'sound'), 3);
  await place.ledger.giveUp(keyOf(2), { outcome: 'skipped' });
  expect(await place.ledger.closeBatch('demo')).toBe(0);
}

it('ledger compare-store looks at batches that had ended, too: one may have been extended or redriven since', async () => {
  await ended();
  for (const file of ['2-speech-1-job-0123456789ac.mp3', '1-speech-2-job-0123456789ad.mp3'])
    await place.store.put(await nameOf(file), file);
  await expectRun('ledger accept-copy', 0, { err: 'also of batches that had ended in it' });
  await expectRun('ledger compare-store', 0, {
    err: [
      /Batch "demo": 1 row has its result in .*: voxbatch reconcile demo/,
      /1 file of a row or take that the ledger does not know: demo-.*\/1-speech-2-job-0123456789ad\.mp3\. .*`run` and `redrive` of this batch are refused/,
      /The batch had ended: `run` and `redrive` of it pay a second time/,
    ],
  });
  const { value } = await json('status demo');
  expect(value).toMatchObject({ outcomes: { unknown: 1, succeeded: 1 } });
});

it('ledger compare-store says in one line that nothing was found of those that had ended', async () => {
  await ended();
  await run('ledger accept-copy');
  await expectRun('ledger compare-store', 0, { err: /^1 batch that had ended: no result in .*\n$/ });
  await expectRun('history demo', 0, { out: /^(?![^]*compare-store)/ });
});

it('what a job brought that a person has taken back from a row is no result of that row', async () => {
  await addBatch(place, ['id', 'text'], [row('a')]);
  await lose(place, keyOf(1), PROCESS_ENDED);
  await place.ledger.decide(keyOf(1), { type: 'adopted', jobId: 'wrong' }, ANN);
  const { layout } = (await place.ledger.findBatch('demo')) ?? {};
  if (layout === undefined) throw new Error('no batch');
  const file = await place.store.put(`${jobStemOf(layout, keyOf(1), 'wrong')}.mp3`, 'of another');
  await place.ledger.finishJob(keyOf(1), { file }, { outcome: 'succeeded', file });
  await place.ledger.decide(keyOf(1), { type: 'released', jobId: 'wrong' }, ANN);
  await run('ledger accept-copy');
  await expectRun('ledger compare-store', 0, { err: 'Batch "demo": no result in' });
  expect((await place.ledger.readRow('demo', 1))?.charges[0]?.failure?.storedAs).toBeUndefined();
});

it('ledger compare-store has nothing to compare where no copy was accepted, and needs the store of the ledger', async () => {
  await expectRun('ledger compare-store', 0, { err: 'has no batch to compare' });
  await restored();
  env['VOXBATCH_STORE'] = `${place.folder}/elsewhere`;
  await expectRefused('ledger compare-store', 'elsewhere');
});

const UNKNOWN = 'f-7a2b3e4204';

/** A batch that the ledger does not know has two results in the store; a folder of something else has none. */
async function withUnknownBatch(): Promise<void> {
  await restored();
  for (const file of [
    '1-speech-1-job-0123456789ab.mp3',
    '2-speech-1.srt',
    '2-speech-1.txt',
    '3-speech-1-cached-0a.mp3',
  ])
    await place.store.put(`${UNKNOWN}/0000/${file}`, file);
  await place.store.put('f-g-7a2b3e4204/0000/1-speech-1.mp3', 'of a batch with a longer name');
  await place.store.put('uploads/1-speech-1.mp3', 'of no batch');
}

it('ledger compare-store names batches that the ledger does not know, with the number of their results', async () => {
  await withUnknownBatch();
  await expectRun('ledger compare-store', 0, {
    err: [
      /2 batches with 3 results in .* are not in the ledger: they were begun after the copy was made\. The same `run`, or single job .*, is refused until it is given with `--cache only`, which puts the batch on record again/,
      `\n  ${UNKNOWN}: 2 results of batch "f"\n  f-g-7a2b3e4204: 1 result of batch "f-g"\n`,
    ],
  });
  const { value } = await json('ledger compare-store');
  expect(value).toMatchObject({
    batches: [{ batch: 'demo', found: 0, from: expect.stringMatching(/^2\d{3}-/) }],
    unknown: { folders: 2, results: 3, named: [{ folder: UNKNOWN, batch: 'f', results: 2 }, { batch: 'f-g' }] },
  });
});

it('plan of a new batch says that run refuses it where the store has results of one of its name that the ledger lacks', async () => {
  await addBatch(place, ['id', 'text'], [row('a')]);
  await place.store.put(`${UNKNOWN}/0000/1-speech-1.mp3`, 'sound');
  await writeFile('f.csv', 'text,voice\nHello,anna\n');
  // Only a copy that was accepted may lack batches, so nothing looks into the store before.
  await expectRun('plan f.csv', 0, { err: 'To run it: voxbatch run f.csv' });
  await run('ledger accept-copy');
  const refusal = `Batch "f" is not in the ledger, but the store has 1 result of it (${UNKNOWN}): the ledger is older`;
  await expectRun('plan f.csv', 0, { err: refusal });
  for (const flags of ['--name g', '--cache only'])
    await expectRun(`plan f.csv ${flags}`, 0, { err: /^(?![^]*is older)/ });
});
