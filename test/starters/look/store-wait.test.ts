import { expect, it } from '@jest/globals';
import { addBatch } from '../../results/sample-batch.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

it('status says that workers wait for the store, since when and for what', async () => {
  await addBatch(place, ['id', 'text'], [{ id: 'a', kind: 'tts', input: ['a', 'one'] }]);
  const { apiUrl, account } = await place.batch();
  await place.ledger.beat({ owner: 'w1', apiUrl, account });
  expect((await json('status')).value).toMatchObject({ store_wait: null });
  const since = Date.now() - 120_000;
  const problem = 'PutObject b/1.mp3: InternalError: no';
  await place.ledger.noteStoreWait('w1', { since, problem });
  const store_wait = { workers: 1, since: new Date(since).toISOString(), problem };
  expect((await json('status')).value).toMatchObject({ store_wait });
  const out = ['1 worker has waited for the store for 2:0', problem, 'All workers wait for the store'];
  await expectRun('status', 75, { out });
});
