import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { sha256Of } from '../../../inputs/regular-file.ts';
import { allowReplacing } from '../../../results/redrive/edited-tables.ts';
import { writeOutFolder } from '../../../results/write-out-folder.ts';
import { verifyOut } from '../../../results/verification/verify.ts';
import { AtomicFile } from '../../../results/atomic-file.ts';
import { addSampleBatch, addSpeech, finish, keyOf } from '../sample-batch.ts';
import { dieAt, onPublishing } from '../publishing.ts';
import { freshPlace } from '../../support/place.ts';
import { OutFiles } from '../out-files.ts';

const place = freshPlace();
const out = new OutFiles(place);

const read = (name: string): Promise<string> => out.read(name);
const tables = async (): Promise<readonly string[]> =>
  (await out.names()).filter((name) => name.includes('.edited') || name.startsWith('.'));

/** Writes all files again, and tells which tables were kept, and as what. */
const keptNow = async (complete = true): Promise<readonly string[]> =>
  (await writeOutFolder(place.request({ complete }))).kept.tables.map(({ name, keptAs }) => `${name} as ${keptAs}`);

/** Edits a table as a person does, and returns what it holds then. */
async function edit(name: string, voice: string): Promise<string> {
  const edited = (await read(name)).replace('bad voice', voice);
  await writeFile(out.pathOf(name), edited);
  return edited;
}

describe('a table that a person has edited', () => {
  beforeEach(async () => {
    await addSampleBatch(place);
    expect(await keptNow()).toEqual([]);
  });

  it.each(['failed.csv', 'results.csv', 'results.jsonl'])('is kept when %s is written again', async (name) => {
    const [written, edited] = [await read(name), await edit(name, 'good voice')];
    const keptAs = name.replace('.', '.edited.');
    expect(await keptNow()).toEqual([`${name} as ${keptAs}`]);
    expect([await read(name), await read(keptAs)]).toEqual([written, edited]);
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
    expect(await keptNow()).toEqual([]);
    expect(await tables()).toEqual([keptAs]);
  });

  it('never takes the place of one that was kept before', async () => {
    const edits: string[] = [];
    for (const voice of ['first', 'second', 'third']) {
      edits.push(await edit('failed.csv', voice));
      await keptNow();
    }
    const names = ['failed.edited.csv', 'failed.edited-2.csv', 'failed.edited-3.csv'];
    expect(await Promise.all(names.map(read))).toEqual(edits);
  });

  it('is kept also where its outcome has no rows any more', async () => {
    await writeFile(out.pathOf('skipped.csv'), 'id,_batch\nx,demo\n');
    expect(await keptNow()).toEqual(['skipped.csv as skipped.edited.csv']);
    expect(await read('skipped.edited.csv')).toBe('id,_batch\nx,demo\n');
  });

  it('is told from one that is as it was, also where the summary is lost', async () => {
    await edit('failed.csv', 'good voice');
    await rm(out.pathOf('summary.json'));
    expect(await keptNow()).toEqual(['failed.csv as failed.edited.csv']);
  });

  it('is kept once by a projection that was killed after it', async () => {
    const edited = await edit('failed.csv', 'good voice');
    const publish = jest.spyOn(AtomicFile.prototype, 'publish').mockRejectedValue(new Error('killed'));
    await expect(keptNow()).rejects.toThrow('killed');
    expect(await read('failed.csv')).toBe(edited);
    publish.mockRestore();
    expect(await keptNow()).toEqual(['failed.csv as failed.edited.csv']);
    expect(await tables()).toEqual(['failed.edited.csv']);
    expect(await read('failed.edited.csv')).toBe(edited);
  });

  it('is replaced if its edits are on record', async () => {
    await edit('failed.csv', 'good voice');
    await allowReplacing(place.out, [await sha256Of(out.pathOf('failed.csv'))]);
    expect(await keptNow()).toEqual([]);
    expect(await tables()).toEqual([]);
    await appendFile(out.pathOf('failed.csv'), '\n');
    expect(await keptNow()).toHaveLength(1);
  });
});

it('does not take a table for edited that a killed projection wrote', async () => {
  await addSpeech(place, 'a', 'b');
  await keptNow(false);
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound'));
  const ending = onPublishing({ before: dieAt('summary.json') });
  await expect(keptNow(false)).rejects.toThrow('killed');
  ending();
  await finish(place, keyOf(2), await place.store.put('demo/2-speech-1.mp3', 'other'));
  expect(await keptNow(false)).toEqual([]);
  expect(await tables()).toEqual([]);
});
