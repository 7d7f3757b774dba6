import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { mp3 } from '../../store/media.ts';
import { addStories } from '../../batches/two-batches.ts';
import { aBatch } from '../../ledger/setup.ts';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';
import { addSpeech, keyOf, refuse } from '../../results/sample-batch.ts';
import { limiterScope } from '../../../contract/names.ts';

const place = placeForEach();

it('the dialect of a batch and of a row is told where it is not v1, and for machines always', async () => {
  const store = join(place.folder, 'store');
  const story = { type: 'speech', body: mp3(20) } as const;
  const share = aBatch('share');
  const { settings } = share;
  // The second row speaks legacy.
  await addStories(
    ...([place.ledger, store, 'share', [story, story]] as const),
    (row) => (row.row === 2 ? { ...row, spec: { ...row.spec, dialect: 'legacy' } } : row),
    { ...share, settings: { ...settings, reading: { ...settings.reading, legacyShare: 0.5 } } },
  );
  await addStories(place.ledger, store, 'current', [story]);
  await expectRun('status share', 75, { out: '/api/open/v1, --api-dialect legacy=50%, from b.csv\n' });
  await expectRun('status current', 75, { not: 'dialect' });
  await expectRun('explain r2 --batch share', 0, { out: ', kind tts, by the legacy paths of the API\n' });
  await expectRun('explain r1 --batch share', 0, { out: ', kind tts\n' });
  const told = ['status share', 'status current', 'explain r1 share', 'explain r2 share'];
  const dialects = told.map(async (line) => (await json(line)).value['api_dialect']);
  expect(await Promise.all(dialects)).toEqual(['legacy=50%', 'v1', 'v1', 'legacy']);
});

const SAID = ['no voice', 'no engine', 'no format', 'no language', 'too fast', 'too slow', 'too slow'];

it('status says how many kinds of failures it leaves out, and what shows them', async () => {
  await addSpeech(place, ...SAID.map((_, at) => `r${at}`));
  for (const [at, message] of SAID.entries()) await refuse(place, keyOf(at + 1), { class: 'BadRequest', message });
  await place.ledger.closeBatch('demo');
  const out = ['2 × BadRequest, first in r5 (row 6): too slow', 'and 1 more kind (1 row): voxbatch report demo\n'];
  await expectRun('status', 10, { out });
  expect((await json('status')).value).toMatchObject({ more_failures: { kinds: 1, rows: 1 } });
});

it('status says for how long the API has been silent where it otherwise says a pace and a time left', async () => {
  await addSpeech(place, 'a', 'b', 'c', 'd');
  // Ends that are no answers.
  for (const row of [1, 2, 3]) await place.ledger.giveUp(keyOf(row), { outcome: 'cancelled' });
  // Nobody works on it.
  await expectRun('status', 75, { out: 'It has no worker', not: ['pace:', 'rows/'] });

  const scope = limiterScope({ realm: await place.batch() }, 'create');
  const { apiUrl, account } = await place.batch();
  const worker = new KernelLock(`${place.ledger.place}.lock`);
  endAfterTest(() => {
    worker.close();
  });
  worker.tryShared();
  await place.ledger.beat({ owner: 'w1', apiUrl, account });
  await expectRun('status', 75, { out: /\n {2}pace: [\d.]+ rows\// });

  const now = Date.now();
  await place.ledger.updateLimiter(scope, { type: 'troubled', now, sentAt: now - 60_000 });
  const out = /\n {2}pace: no answer from the API for 1:\d\d\n/;
  await expectRun('status', 75, { out, not: ['rows/', ' left'] });
  const silent_since = new Date(now - 60_000).toISOString();
  expect((await json('status')).value).toMatchObject({ silent_since, rows_per_second: 0, seconds_left: null });
});

it('status says that workers wait for the store, since when and for what', async () => {
  await addSpeech(place, 'a');
  const { apiUrl, account } = await place.batch();
  await place.ledger.beat({ owner: 'w1', apiUrl, account });
  expect((await json('status')).value).toMatchObject({ store_wait: null });
  const since = Date.now() - 120_000;
  const problem = 'PutObject b/1.mp3: InternalError: no';
  await place.ledger.noteStoreWait('w1', { since, problem });
  const store_wait = { workers: 1, since: new Date(since).toISOString(), problem };
  expect((await json('status')).value).toMatchObject({ store_wait });
  const out = [/1 worker has waited for the store for 2:\d\d/, problem, 'All workers wait for the store'];
  await expectRun('status', 75, { out });
});

it('status says why the last worker ended, and how long ago, until another one begins', async () => {
  await addSpeech(place, 'a');
  const { apiUrl = '', account = '' } = (await place.ledger.findBatch('demo')) ?? {};
  const worker = { owner: 'w', apiUrl, account };
  await place.ledger.noteWorkerEnd(worker, 'The disk is full');
  await expectRun('status', 75, {
    out: /It has no worker\. The last worker ended 0:\d\d ago: The disk is full\. Continue with: voxbatch run demo.csv/,
  });
  expect((await json('status')).value).toMatchObject({ worker_end: { reason: 'The disk is full' } });
  await place.ledger.forgetWorkers({ owner: 'w' });
  await expectRun('status', 75, { not: 'The last worker' });
});
