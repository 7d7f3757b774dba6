/** @slow */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import { claimFolder } from '../../../store/owner-file.ts';
import { addBatch, failJob, finish, keyOf } from '../../results/sample-batch.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

/** `redrive --accept ROW/TAKE`: back to a result that was paid for, without an API. */

const place = placeForEach();

/** Row `a` has a result of take 1, a failed take 2, and a result of take 3; row `b` one, and row `c` was edited for its second. */
beforeEach(async () => {
  const { ledger, store } = place;
  const rows = ['a', 'b', 'c'].map((id) => ({ id, kind: 'tts' as const, input: [id] }));
  await addBatch(place, ['text'], rows);
  for (const row of [1, 2, 3])
    await finish(place, keyOf(row), await store.put(`demo/${row}-speech-1.mp3`, `first of ${row}`), 3);
  await payAgain(1, 1);
  await failJob(place, keyOf(1, 'speech', 1, 2));
  await payAgain(1, 2);
  await finish(place, keyOf(1, 'speech', 1, 3), await store.put('demo/1-speech-3.wav', 'third of 1'), 4);
  await payAgain(3, 1, {
    reason: 'edited',
    edited: { spec: { kind: 'tts', extra: {} }, input: ['other'], quoted: 10 },
  });
  await finish(place, keyOf(3, 'speech', 1, 2), await store.put('demo/3-speech-2.mp3', 'second of 3'), 4);
  await ledger.closeBatch('demo');
});

async function payAgain(row: number, take: number, how: Partial<RedriveChoice['how']> = {}): Promise<void> {
  const pay = { type: 'pay', fromStep: 'speech', reason: 'redrive', ...how } as RedriveChoice['how'];
  await redriveNow(place.ledger, 'demo', [{ row, take, how: pay }]);
}

/** The files of row `a` in the out folder. */
async function filesOfA(): Promise<Record<string, string>> {
  const names = (await readdir('out/demo/media')).filter((name) => name.startsWith('a.'));
  const contents = names.map(async (name) => [name, await readFile(`out/demo/media/${name}`, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(contents));
}

/** The stored file of row `a` is still that of its third take. */
async function expectUnchanged(): Promise<void> {
  expect((await place.ledger.readRow('demo', 1))?.row.file?.key).toBe('demo/1-speech-3.wav');
}

describe('the result of an earlier take', () => {
  it('is the row’s again, free, and so may the later one be', async () => {
    await run('results');
    expect(await filesOfA()).toEqual({ 'a.wav': 'third of 1' });
    const money = await place.ledger.money('demo');
    const charges = (await place.ledger.readRow('demo', 1))?.charges;
    const back = '1 row back to the result of an earlier take, free';
    await expectRun('redrive demo --accept a/1', 0, [back, 'at a cost of nothing']);
    expect(await filesOfA()).toEqual({ 'a.mp3': 'first of 1' });
    const [line = ''] = (await readFile('out/demo/results.jsonl', 'utf8')).split('\n');
    const told = { _outcome: 'succeeded', _file: 'media/a.mp3', _take: 3, _credits: 10 };
    expect(JSON.parse(line)).toMatchObject(told);
    expect((await place.ledger.readRow('demo', 1))?.charges).toEqual(charges);
    await expectRun('verify demo', 0);
    // The same command again finds it done.
    await expectRun('redrive demo --accept a/1', 0, 'left out: a result exists');
    await expectRun('redrive demo --accept 1/3,b', 0);
    expect(await filesOfA()).toEqual({ 'a.wav': 'third of 1' });
    expect(await place.ledger.money('demo')).toEqual(money);
    await expectRun('verify demo', 0);
  });

  it('is offered by explain, which tells who went back', async () => {
    const offer = (take: number): string =>
      `To have the result of take ${take} instead, free: voxbatch redrive demo --accept a/${take}`;
    await expectRun('explain a', 0, { out: offer(1) });
    await run('redrive demo --accept a/1');
    const back = "of speech, take 1, attempt 1: its result is the row's again (redrive --accept)";
    await expectRun('explain a', 0, { out: [back, offer(3)] });
    await expectRun('explain c', 0, { not: '--accept' });
  });

  it('stays in the out folder while the row has another take, once the row went back and forth', async () => {
    for (const take of ['a/1', 'a/3', 'a/1']) await run(`redrive demo --accept ${take}`);
    await payAgain(1, 3);
    await run('results');
    expect(await filesOfA()).toEqual({ 'a.mp3': 'first of 1' });
  });

  it('is shown beforehand by --dry-run', async () => {
    const { value } = await json('redrive demo --accept a/1 --dry-run');
    expect(value).toMatchObject({ rows: 1, accepts: 1, returns: 1, credits: 0 });
    await expectUnchanged();
  });

  it.each([
    ['a/2', 'take 2 made no result; these did: 1, 3'],
    ['a/4', 'Row "a" of batch "demo" has no take 4; it has had 3.'],
    ['a/1,a/3', '"a/3" names a row again, with another take.'],
    ['x/1', 'Batch "demo" has no row "x/1"'],
    ['c/1', 'it was edited for take 2, so the result of take 1 is of other cells.'],
  ])('%s is refused: %s', async (word, words) => {
    await expectRefused(`redrive demo --accept ${word}`, words);
    await expectUnchanged();
  });

  it('of a row that is refused offers to leave that out only if others would be left', async () => {
    await expectRun('redrive demo --accept a/2', 2, { not: /Choices|leave these rows out/ });
    await expectRun('redrive demo --accept c/1,a/1', 2, 'Choices:\n  leave these rows out (--accept)\n');
  });

  it('needs the API if its file is not there any more, which is fetched again first', async () => {
    const { folder, ledger } = place;
    await claimFolder(join(folder, 'store'), ledger.id);
    await rm(join(folder, 'store/demo/1-speech-1.mp3'));
    await expectRun('redrive demo --accept a/1 --dry-run', 0, { out: '1 of these has to fetch that file first' });
    await expectRun('redrive demo --accept a/1', 5, 'No API is configured');
    await expectUnchanged();
  });
});
