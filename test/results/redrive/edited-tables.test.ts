import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../../../inputs/regular-file.ts';
import { allowReplacing } from '../../../results/redrive/edited-tables.ts';
import { projectBatch } from '../../../results/project.ts';
import { verifyOut } from '../../../results/verification/verify.ts';
import { WholeFile } from '../../../results/whole-file.ts';
import { addBatch, addSampleBatch, finish, keyOf } from '../sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();

afterEach(() => {
  jest.restoreAllMocks();
});

const read = (name: string): Promise<string> => readFile(join(place.out, name), 'utf8');
const tables = async (): Promise<readonly string[]> =>
  (await readdir(place.out)).filter((name) => name.includes('.edited') || name.startsWith('.')).sort();

/** Edits a table as a person does, and returns what it holds then. */
async function edit(name: string, voice: string): Promise<string> {
  const edited = (await read(name)).replace('bad voice', voice);
  await writeFile(join(place.out, name), edited);
  return edited;
}

describe('a table that a person has edited', () => {
  it.each(['failed.csv', 'results.csv', 'results.jsonl'])('is kept when %s is written again', async (name) => {
    await addSampleBatch(place);
    expect((await projectBatch(place.request())).kept).toEqual([]);
    const [written, edited] = [await read(name), await edit(name, 'good voice')];
    const keptAs = name.replace('.', '.edited.');
    expect((await projectBatch(place.request())).kept).toEqual([{ name, keptAs }]);
    expect([await read(name), await read(keptAs)]).toEqual([written, edited]);
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
    expect((await projectBatch(place.request())).kept).toEqual([]);
    expect(await tables()).toEqual([keptAs]);
  });

  it('never takes the place of one that was kept before', async () => {
    await addSampleBatch(place);
    await projectBatch(place.request());
    const edits: string[] = [];
    for (const voice of ['first', 'second', 'third']) {
      edits.push(await edit('failed.csv', voice));
      await projectBatch(place.request());
    }
    const names = ['failed.edited.csv', 'failed.edited-2.csv', 'failed.edited-3.csv'];
    expect(await Promise.all(names.map(read))).toEqual(edits);
  });

  it('is kept also where its outcome has no rows any more', async () => {
    await addSampleBatch(place);
    await projectBatch(place.request());
    await writeFile(join(place.out, 'skipped.csv'), 'id,_batch\nx,demo\n');
    const { kept } = await projectBatch(place.request());
    expect(kept).toEqual([{ name: 'skipped.csv', keptAs: 'skipped.edited.csv' }]);
    expect(await read('skipped.edited.csv')).toBe('id,_batch\nx,demo\n');
  });

  it('is told from one that is as it was, also where the summary is lost', async () => {
    await addSampleBatch(place);
    await projectBatch(place.request());
    await edit('failed.csv', 'good voice');
    await rm(join(place.out, 'summary.json'));
    const { kept } = await projectBatch(place.request());
    expect(kept).toEqual([{ name: 'failed.csv', keptAs: 'failed.edited.csv' }]);
  });

  it('is kept once by a projection that was killed after it', async () => {
    await addSampleBatch(place);
    await projectBatch(place.request());
    const edited = await edit('failed.csv', 'good voice');
    const publish = jest.spyOn(WholeFile.prototype, 'publish').mockRejectedValue(new Error('killed'));
    await expect(projectBatch(place.request())).rejects.toThrow('killed');
    expect(await read('failed.csv')).toBe(edited);
    publish.mockRestore();
    const { kept } = await projectBatch(place.request());
    expect(kept).toEqual([{ name: 'failed.csv', keptAs: 'failed.edited.csv' }]);
    expect(await tables()).toEqual(['failed.edited.csv']);
    expect(await read('failed.edited.csv')).toBe(edited);
  });

  it('is replaced if its edits are on record', async () => {
    await addSampleBatch(place);
    await projectBatch(place.request());
    await edit('failed.csv', 'good voice');
    await allowReplacing(place.out, [await sha256Of(join(place.out, 'failed.csv'))]);
    expect((await projectBatch(place.request())).kept).toEqual([]);
    expect(await tables()).toEqual([]);
    await appendFile(join(place.out, 'failed.csv'), '\n');
    expect((await projectBatch(place.request())).kept).toHaveLength(1);
  });
});

it('does not take a table for edited that a killed projection wrote', async () => {
  const rows = ['a', 'b'].map((id) => ({ id, kind: 'tts', input: [id] }) as const);
  await addBatch(place, ['id'], rows);
  await projectBatch(place.request({ complete: false }));
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound'));
  const { value: publish } = Object.getOwnPropertyDescriptor(WholeFile.prototype, 'publish') as {
    value: (this: WholeFile) => Promise<void>;
  };
  jest.spyOn(WholeFile.prototype, 'publish').mockImplementation(async function (this: WholeFile) {
    if (this.path.endsWith('summary.json')) throw new Error('killed');
    await publish.call(this);
  });
  await expect(projectBatch(place.request({ complete: false }))).rejects.toThrow('killed');
  jest.restoreAllMocks();
  await finish(place, keyOf(2), await place.store.put('demo/2-speech-1.mp3', 'other'));
  expect((await projectBatch(place.request({ complete: false }))).kept).toEqual([]);
  expect(await tables()).toEqual([]);
});
