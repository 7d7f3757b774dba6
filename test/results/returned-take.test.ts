import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectBatch } from '../../results/project.ts';
import { redriveNow } from '../ledger/setup.ts';
import { freshPlace } from '../support/place.ts';
import { addBatch, finish, keyOf } from './sample-batch.ts';

const place = freshPlace();

const media = (): Promise<string> => readFile(join(place.out, 'media', 'a.mp3'), 'utf8');

async function project(complete = false): Promise<void> {
  if (complete) await place.ledger.closeBatch('demo');
  expect((await projectBatch(place.request({ complete }))).mismatches).toEqual([]);
}

it('the file of a row stays while that of another take is fetched for which it is given up', async () => {
  await addBatch(place, ['text'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
  const first = await place.store.put('demo/1-speech-1.mp3', 'first');
  await finish(place, keyOf(1), first);
  const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
  await redriveNow(place.ledger, 'demo', [{ row: 1, take: 1, how }]);
  await finish(place, keyOf(1, 'speech', 1, 2), await place.store.put('demo/1-speech-2.mp3', 'second'));
  const goTo = async (take: number, isLost = false): Promise<void> => {
    const how = { type: 'accept', earlier: { take, who: 'ann', isLost } } as const;
    expect((await redriveNow(place.ledger, 'demo', [{ row: 1, take: 2, how }])).rows).toEqual([1]);
  };
  await goTo(1);
  await goTo(2);
  await project(true);
  expect(await media()).toBe('second');
  await goTo(1, true);
  await project();
  expect(await media()).toBe('second');
  await place.ledger.finishJob(keyOf(1), { file: first }, { outcome: 'succeeded', file: first });
  await project(true);
  expect(await media()).toBe('first');
});
