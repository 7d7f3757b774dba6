/** @slow */
import { readFile, readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { afterResult } from '../../../policy/rows/after-result.ts';
import { addBatch, finish, intend, keyOf } from '../../results/sample-batch.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

/** Results that did not pass a check, from the command line. There is no API here: what is free needs none. */

const { place } = placeForEach();

beforeEach(async () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ id, kind: 'tts' as const, input: [id] }));
  await addBatch(place, ['id'], rows);
  for (const row of [1, 2]) {
    await intend(place, keyOf(row));
    await place.ledger.settle(keyOf(row), { verdict: 'accepted', jobId: `job-${row}` }, { state: 'processing' });
    const file = { ...(await place.store.put(`demo/${row}-speech-1.mp3`, 'nothing to hear')), unfit: 'silent' };
    const { effect, ...why } = afterResult({ kind: 'tts' }, 'speech', file, { retakes: 0, control: 'running' });
    await place.ledger.finishJob(keyOf(row), { file, credits: 4, ...why }, effect);
  }
  await finish(place, keyOf(3), await place.store.put('demo/3-speech-1.mp3', 'hello'), 3);
  await place.ledger.closeBatch('demo');
});

describe('unfit results', () => {
  it('end a batch with 14, and are told with what can be done about them', async () => {
    const { code, stdout } = await run('results');
    expect(code).toBe(14);
    expect(stdout).toContain('2  unfit      paid for and kept; failed a check');
    expect(stdout).toContain('To accept them as they are, free: voxbatch redrive demo --where outcome=unfit --accept.');
    const story = await run('explain', 'a');
    expect(story.stdout).toContain('Unfit: The result of its speech is silent.');
    expect(story.stdout).toContain('media/unfit/a.mp3');
    expect(story.stdout).toContain('Accept it as it is, free: voxbatch redrive demo --accept a.');
  });

  it.each([
    ['of a row', ['--accept', 'a'], 14],
    ['of rows by number', ['--accept', '1,#2'], 0],
    ['of several rows', ['--accept', 'a', 'b'], 0],
    ['of rows that --rows names', ['--rows', 'a,b', '--accept'], 0],
    ['of all of them', ['--where', 'outcome=unfit', '--accept'], 0],
    ['of those of a class', ['--accept', '--where', 'class=Unfit'], 0],
  ])('%s are accepted without an API, and lie among the others', async (_, words, code) => {
    await run('results');
    const money = await place.ledger.money('demo');
    const ended = await run('redrive', 'demo', ...words);
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining('accepted as it is, free') });
    expect(ended.stderr).toContain('at a cost of nothing');
    expect(await readFile('out/demo/media/a.mp3', 'utf8')).toBe('nothing to hear');
    if (code === 0) expect((await readdir('out/demo/media')).sort()).toEqual(['a.mp3', 'b.mp3', 'c.mp3', 'unfit']);
    expect(await place.ledger.money('demo')).toEqual(money);
    expect((await run('verify', 'demo')).code).toBe(0);
    // The same command again finds it done.
    const again = await run('redrive', 'demo', ...words);
    expect(again.code).toBe(code);
  });

  it('that were accepted are told as such', async () => {
    await run('redrive', 'demo', '--accept', 'a');
    const { stdout } = await run('explain', 'a');
    expect(stdout).toContain('accepted by a person although it is silent');
    const { value } = await json('explain', 'a', '--json');
    expect(value).toMatchObject({ outcome: 'succeeded', files: [{ name: 'media/a.mp3', unfit: 'silent' }] });
  });

  it('are the only ones that can be accepted', async () => {
    const { code, stderr } = await run('redrive', 'demo', '--accept', 'c');
    expect(code).toBe(14);
    expect(stderr).toContain('1 row left out: a result exists');
  });

  it.each([[['--accept']], [['--accept', 'a', '--resubmit']], [['--accept', 'a', '--step', 'speech']]])(
    '%j is refused',
    async (words) => {
      const { code, stderr } = await run('redrive', 'demo', ...words);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing was spent') });
    },
  );
});
