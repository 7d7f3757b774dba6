import { beforeEach, describe, expect, it } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { addBatch, finish, keyOf, refuse } from '../../results/sample-batch.ts';
import { expectRun, placeAtSimulator, run } from '../command-line.ts';

/** What becomes of a table that a person edits in the out folder, up to the door where money is spent. */

const { place } = placeAtSimulator();

beforeEach(async () => {
  const rows = ['a', 'b'].map((id) => ({ id, kind: 'tts', input: [id, 'tts', 'Hello', 'bad voice', ''] }) as const);
  await addBatch(place, ['id', 'kind', 'text', 'voice', 'note'], rows);
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound'));
  await refuse(place, keyOf(2), { class: 'BadRequest', message: 'voice is not known' });
  await place.ledger.closeBatch('demo');
  await run('results demo');
});

/** Changes a table in the out folder, and returns what it holds then. */
async function edit(name: string, by: (text: string) => string): Promise<string> {
  const before = await readFile(`out/demo/${name}`, 'utf8');
  const edited = by(before);
  expect(edited).not.toBe(before);
  await writeFile(`out/demo/${name}`, edited);
  return edited;
}

const mend = (): Promise<string> => edit('failed.csv', (text) => text.replace('bad voice', 'anna'));

describe('a table that was edited in the out folder', () => {
  it('is named by verify with the command that takes it, and nothing that writes over it', async () => {
    await mend();
    const { stderr } = await expectRun('verify demo', 15, {
      out: 'Everything adds up but failed.csv, which was changed.',
      not: 'voxbatch results',
    });
    expect(stderr).toBe(
      'out/demo/failed.csv was changed after it was written. If you edited it, run it: voxbatch run out/demo/failed.csv\n',
    );
  });

  it.each(['results demo', 'redrive demo --where class=JobFailed'])(
    'is kept by %s, and can be run under its new name',
    async (line) => {
      const edited = await mend();
      expect((await run(line)).stderr).toContain(
        'out/demo/failed.csv had been edited: it is kept as out/demo/failed.edited.csv. If these edits did not run yet: voxbatch run out/demo/failed.edited.csv\n',
      );
      expect(await readFile('out/demo/failed.edited.csv', 'utf8')).toBe(edited);
      await expectRun('verify demo', 0, '');
      expect((await run('run out/demo/failed.edited.csv')).stderr).toContain('1 row to send, from speech on');
    },
  );

  it('is replaced by a command that has all its edits on record', async () => {
    await edit('results.csv', (text) => text.split('\n').slice(0, 2).join('\r\n'));
    const { stderr } = await run('run out/demo/results.csv');
    expect(stderr).toMatch(/^(?![^]*had been edited)[^]*nothing to redrive/);
    expect((await readdir('out/demo')).filter((name) => name.includes('edited') || name.startsWith('.'))).toEqual([]);
  });
});
