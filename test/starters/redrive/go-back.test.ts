/** @slow */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openStore } from '../../../store/open-store.ts';
import { addBatch, finish, intend, keyOf } from '../../results/sample-batch.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

/** `redrive --accept ROW/TAKE`: back to a result that was paid for, without an API. */

const { place } = placeForEach();

const FAILED = { class: 'JobFailed', message: 'The job failed.' } as const;

/** Row `a` has a result of take 1, a failed take 2, and a result of take 3; row `b` one, and row `c` was edited for its second. */
beforeEach(async () => {
  await addBatch(
    place,
    ['text'],
    ['a', 'b', 'c'].map((id) => ({ id, kind: 'tts' as const, input: [id] })),
  );
  for (const row of [1, 2, 3])
    await finish(place, keyOf(row), await place.store.put(`demo/${row}-speech-1.mp3`, `first of ${row}`), 3);
  await payAgain(1, 1);
  const failing = keyOf(1, 'speech', 1, 2);
  await intend(place, failing);
  await place.ledger.settle(failing, { verdict: 'accepted', jobId: 'job-failing' }, { state: 'processing' });
  await place.ledger.finishJob(failing, { failure: FAILED, credits: 3 }, { outcome: 'failed', failure: FAILED });
  await payAgain(1, 2);
  await finish(place, keyOf(1, 'speech', 1, 3), await place.store.put('demo/1-speech-3.wav', 'third of 1'), 4);
  await payAgain(3, 1, 'other');
  await finish(place, keyOf(3, 'speech', 1, 2), await place.store.put('demo/3-speech-2.mp3', 'second of 3'), 4);
  await place.ledger.closeBatch('demo');
});

async function payAgain(row: number, take: number, edited?: string): Promise<void> {
  const change =
    edited === undefined ? {} : { edited: { spec: { kind: 'tts', extra: {} } as const, input: [edited], quoted: 10 } };
  await redriveNow(place.ledger, 'demo', [
    {
      row,
      take,
      how: { type: 'pay', fromStep: 'speech', reason: edited === undefined ? 'redrive' : 'edited', ...change },
    },
  ]);
}

async function fileOf(id: string): Promise<Record<string, string>> {
  const names = (await readdir('out/demo/media')).filter((name) => name.startsWith(`${id}.`));
  const contents = names.map(async (name) => [name, await readFile(`out/demo/media/${name}`, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(contents));
}

async function lineOf(row: number): Promise<unknown> {
  return JSON.parse((await readFile('out/demo/results.jsonl', 'utf8')).split('\n')[row - 1] ?? '');
}

describe('the result of an earlier take', () => {
  it('is the row’s again, free, and so may the later one be', async () => {
    await run('results');
    expect(await fileOf('a')).toEqual({ 'a.wav': 'third of 1' });
    const money = await place.ledger.money('demo');
    const charges = (await place.ledger.readRow('demo', 1))?.charges;

    const { code, stderr } = await run('redrive', 'demo', '--accept', 'a/1');
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 row back to the result of an earlier take, free'),
    });
    expect(stderr).toContain('at a cost of nothing');
    expect(await fileOf('a')).toEqual({ 'a.mp3': 'first of 1' });
    expect(await lineOf(1)).toMatchObject({ _outcome: 'succeeded', _file: 'media/a.mp3', _take: 3, _credits: 10 });
    expect(await place.ledger.money('demo')).toEqual(money);
    expect((await place.ledger.readRow('demo', 1))?.charges).toEqual(charges);
    expect((await run('verify', 'demo')).code).toBe(0);

    // The same command again finds it done.
    const again = await run('redrive', 'demo', '--accept', 'a/1');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('left out: a result exists') });

    expect((await run('redrive', 'demo', '--accept', '1/3,b')).code).toBe(0);
    expect(await fileOf('a')).toEqual({ 'a.wav': 'third of 1' });
    expect(await place.ledger.money('demo')).toEqual(money);
    expect((await run('verify', 'demo')).code).toBe(0);
  });

  it('is offered by explain, which tells who went back', async () => {
    const before = await run('explain', 'a');
    expect(before.stdout).toContain('To have the result of take 1 instead, free: voxbatch redrive demo --accept a/1');
    await run('redrive', 'demo', '--accept', 'a/1');
    const { stdout } = await run('explain', 'a');
    expect(stdout).toContain("of speech, take 1, attempt 1: its result is the row's again (redrive --accept)");
    expect(stdout).toContain('To have the result of take 3 instead, free: voxbatch redrive demo --accept a/3');
    expect((await run('explain', 'c')).stdout).not.toContain('--accept');
  });

  it('stays in the out folder while the row has another take, once the row went back and forth', async () => {
    for (const take of ['a/1', 'a/3', 'a/1']) await run('redrive', 'demo', '--accept', take);
    await payAgain(1, 3);
    await run('results');
    expect(await fileOf('a')).toEqual({ 'a.mp3': 'first of 1' });
  });

  it('is shown beforehand by --dry-run', async () => {
    const { value } = await json('redrive', 'demo', '--accept', 'a/1', '--dry-run', '--json');
    expect(value).toMatchObject({ rows: 1, accepts: 1, returns: 1, credits: 0 });
    expect((await place.ledger.readRow('demo', 1))?.row.file?.key).toBe('demo/1-speech-3.wav');
  });

  it.each([
    ['a/2', 'take 2 made no result; these did: 1, 3'],
    ['a/4', 'Row "a" of batch "demo" has no take 4; it has had 3.'],
    ['a/1,a/3', '"a/3" names a row again, with another take.'],
    ['x/1', 'Batch "demo" has no row "x/1"'],
    ['c/1', 'it was edited for take 2, so the result of take 1 is of other cells.'],
  ])('%s is refused: %s', async (word, words) => {
    const { code, stderr } = await run('redrive', 'demo', '--accept', word);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
    expect(stderr).toContain('Nothing was spent');
    expect((await place.ledger.readRow('demo', 1))?.row.file?.key).toBe('demo/1-speech-3.wav');
  });

  it('of a row that is refused offers to leave that out only if others would be left', async () => {
    const alone = await run('redrive', 'demo', '--accept', 'a/2');
    expect(alone.stderr).not.toMatch(/Choices|leave these rows out/);
    const { stderr } = await run('redrive', 'demo', '--accept', 'c/1,a/1');
    expect(stderr).toContain('Choices:\n  leave these rows out (--accept)\n');
  });

  it('needs the API if its file is not there any more, which is fetched again first', async () => {
    const { folder, ledger } = place;
    const store = await openStore(join(folder, 'store'), {});
    await store.claim(ledger.id);
    await store.close();
    await rm(join(folder, 'store/demo/1-speech-1.mp3'));
    const dry = await run('redrive', 'demo', '--accept', 'a/1', '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 of these has to fetch that file first'),
    });
    const { code, stderr } = await run('redrive', 'demo', '--accept', 'a/1');
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('No API is configured') });
    expect((await ledger.readRow('demo', 1))?.row.file?.key).toBe('demo/1-speech-3.wav');
  });
});
