import { expect, it } from '@jest/globals';
import { redriveNow } from '../ledger/setup.ts';
import { freshPlace } from '../support/place.ts';
import { OutFiles } from './out-files.ts';
import { addBatch, finish, keyOf } from './sample-batch.ts';

const place = freshPlace();
const out = new OutFiles(place);

it('the file of a row stays while that of another take is fetched for which it is given up', async () => {
  await addBatch(place, ['text'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
  const first = await place.store.put('demo/1-speech-1.mp3', 'first');
  await finish(place, keyOf(1), first);
  await out.payAgain(1);
  await finish(place, keyOf(1, 'speech', 1, 2), await place.store.put('demo/1-speech-2.mp3', 'second'));
  const goTo = async (take: number, isLost = false): Promise<void> => {
    const how = { type: 'accept', earlier: { take, isLost } } as const;
    expect((await redriveNow(place.ledger, 'demo', [{ row: 1, take: 2, how }])).rows).toEqual([1]);
  };
  await goTo(1);
  await goTo(2);
  await out.project(true);
  expect(await out.read('media/a.mp3')).toBe('second');
  await goTo(1, true);
  await out.project();
  expect(await out.read('media/a.mp3')).toBe('second');
  await place.ledger.finishJob(keyOf(1), { file: first }, { outcome: 'succeeded', file: first });
  await out.project(true);
  expect(await out.read('media/a.mp3')).toBe('first');
});
