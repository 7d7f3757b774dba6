/** @slow */
import { readFile, readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { addSpeech, finish, finishUnfit, keyOf } from '../../results/sample-batch.ts';
import { expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

/** Results that did not pass a check, from the command line. There is no API here: what is free needs none. */

const place = placeForEach();

beforeEach(async () => {
  await addSpeech(place, 'a', 'b', 'c');
  for (const row of [1, 2]) await finishUnfit(place, row);
  await finish(place, keyOf(3), await place.store.put('demo/3-speech-1.mp3', 'hello'), 3);
  await place.ledger.closeBatch('demo');
});

describe('unfit results', () => {
  it('end a batch with 14, and are told with what can be done about them', async () => {
    const free = 'To accept them as they are, free: voxbatch redrive demo --where outcome=unfit --accept.';
    await expectRun('results', 14, { out: ['2  unfit      paid for and kept; failed a check', free] });
    const accept = 'Accept it as it is, free: voxbatch redrive demo --accept a.';
    const why = 'Unfit: The result of its speech is silent.';
    await expectRun('explain a', 0, { out: [why, 'media/unfit/a.mp3', accept] });
  });

  it.each([
    ['--accept a', 14],
    ['--accept 1,#2', 0],
    ['--accept a b', 0],
    ['--rows a,b --accept', 0],
    ['--where outcome=unfit --accept', 0],
    ['--accept --where class=Unfit', 0],
  ])('%s: are accepted without an API, and lie among the others', async (words, code) => {
    await run('results');
    const money = await place.ledger.money('demo');
    await expectRun(`redrive demo ${words}`, code, ['accepted as it is, free', 'at a cost of nothing']);
    expect(await readFile('out/demo/media/a.mp3', 'utf8')).toBe('nothing to hear');
    if (code === 0) expect((await readdir('out/demo/media')).sort()).toEqual(['a.mp3', 'b.mp3', 'c.mp3', 'unfit']);
    expect(await place.ledger.money('demo')).toEqual(money);
    await expectRun('verify demo', 0);
    // The same command again finds it done.
    await expectRun(`redrive demo ${words}`, code);
  });

  it('that were accepted are told as such', async () => {
    await run('redrive demo --accept a');
    await expectRun('explain a', 0, { out: 'accepted by a person although it is silent' });
    const accepted = { outcome: 'succeeded', files: [{ name: 'media/a.mp3', unfit: 'silent' }] };
    expect((await json('explain a')).value).toMatchObject(accepted);
  });

  it('are the only ones that can be accepted', async () => {
    await expectRun('redrive demo --accept c', 14, '1 row left out: a result exists');
  });

  it.each(['', 'a --resubmit', 'a --step speech'])('--accept %s is refused', async (words) => {
    await expectRefused(`redrive demo --accept ${words}`, []);
  });
});
