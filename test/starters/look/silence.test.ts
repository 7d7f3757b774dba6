import { expect, it } from '@jest/globals';
import { limiterScope } from '../../../contract/names.ts';
import { addBatch, keyOf } from '../../results/sample-batch.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

it('status says for how long the API has been silent where it otherwise says a pace and a time left', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  await addBatch(
    place,
    ['id'],
    ids.map((id) => ({ id, kind: 'tts', input: [id] })),
  );
  // Ends that are no answers.
  for (const row of [1, 2, 3]) await place.ledger.giveUp(keyOf(row), { outcome: 'cancelled' });
  await expectRun('status', 75, { out: /\n {2}pace: [\d.]+ rows\// });

  const scope = limiterScope({ realm: await place.batch() }, 'create');
  const { apiUrl, account } = await place.batch();
  await place.ledger.beat({ owner: 'w1', apiUrl, account });
  const now = Date.now();
  await place.ledger.updateLimiter(scope, { type: 'troubled', now, sentAt: now - 60_000 });
  const out = /\n {2}pace: no answer from the API for 1:0\d\n/;
  await expectRun('status', 75, { out, not: ['rows/', ' left'] });
  const silent_since = new Date(now - 60_000).toISOString();
  expect((await json('status')).value).toMatchObject({ silent_since, rows_per_second: 0, seconds_left: null });
});
