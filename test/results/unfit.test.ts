import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Kind } from '../../contract/row-kinds.ts';
import { projectBatch } from '../../results/project.ts';
import { LinkedFolder } from '../../results/real-folders.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { afterResult } from '../../policy/rows/after-result.ts';
import { redriveNow } from '../ledger/setup.ts';
import { addBatch, finish, intend, keyOf } from './sample-batch.ts';
import { freshPlace } from '../support/place.ts';

/** Results that did not pass a check: they have a folder of their own until a person accepts them. */

const SOUND = 'nothing to hear';

const place = freshPlace();

/** Two rows; the speech of the first is silent. */
async function fill(kind: Kind): Promise<void> {
  await addBatch(
    place,
    ['text'],
    [
      { id: 'a', kind, input: ['one'] },
      { id: 'b', kind: 'tts', input: ['two'] },
    ],
  );
  const { ledger, store } = place;
  await intend(place, keyOf(1));
  await ledger.settle(keyOf(1), { verdict: 'accepted', jobId: 'job-1' }, { state: 'processing' });
  const file = { ...(await store.put('demo/1-speech-1.mp3', SOUND)), unfit: 'silent' };
  const { effect, ...why } = afterResult({ kind }, 'speech', file, { retakes: 0, control: 'running' });
  await ledger.finishJob(keyOf(1), { file, credits: 4, ...why }, effect);
  await finish(place, keyOf(2), await store.put('demo/2-speech-1.mp3', 'hello'), 3);
}

const accept = (): Promise<unknown> => redriveNow(place.ledger, 'demo', [{ row: 1, take: 1, how: { type: 'accept' } }]);

/** Writes the files, which add up, and returns the names of all media. */
async function project(complete = true): Promise<readonly string[]> {
  if (complete) await place.ledger.closeBatch('demo');
  expect((await projectBatch(place.request({ complete }))).mismatches).toEqual([]);
  expect((await verifyOut(place.out)).mismatches).toEqual([]);
  const found = await readdir(join(place.out, 'media'), { recursive: true, withFileTypes: true });
  return found
    .flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name).slice(place.out.length + 1)] : []))
    .sort();
}

async function firstLine(): Promise<unknown> {
  return JSON.parse((await readFile(join(place.out, 'results.jsonl'), 'utf8')).split('\n')[0] ?? '') as unknown;
}

describe('the files of an unfit row', () => {
  it('name its result, which lies apart, its reason and its price', async () => {
    await fill('tts');
    expect(await project()).toEqual(['media/b.mp3', 'media/unfit/a.mp3']);
    expect(await readFile(join(place.out, 'media/unfit/a.mp3'), 'utf8')).toBe(SOUND);
    expect(await firstLine()).toMatchObject({
      _outcome: 'unfit',
      _file: 'media/unfit/a.mp3',
      _error_class: 'Unfit',
      _message: expect.stringContaining('silent'),
      _credits: 4,
      _credits_kind: 'reported',
      _job_ids: ['job-1'],
    });
    expect(await readFile(join(place.out, 'unfit.csv'), 'utf8')).toContain('media/unfit/a.mp3');
    const [receipt] = (await readFile(join(place.out, 'receipts.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(receipt ?? '')).toMatchObject({
      verdict: 'accepted',
      error_class: 'Unfit',
      charged: 4,
      file: { name: 'media/unfit/a.mp3' },
    });
  });

  it('are those of a good row once it is accepted; the result moves', async () => {
    await fill('tts');
    await project();
    await accept();
    expect(await project()).toEqual(['media/a.mp3', 'media/b.mp3']);
    expect(await firstLine()).toMatchObject({
      _outcome: 'succeeded',
      _file: 'media/a.mp3',
      _error_class: '',
      _credits: 4,
    });
    expect(await readdir(place.out)).not.toContain('unfit.csv');
  });

  it('lose the speech of a chain that went on after it was accepted', async () => {
    await fill('dub');
    expect(await project()).toEqual(['media/b.mp3', 'media/unfit/a.mp3']);
    await accept();
    expect(await project(false)).toEqual(['media/b.mp3']);
    await finish(place, keyOf(1, 'lip-sync'), await place.store.put('demo/1-lip-sync-1.mp4', 'video'), 8);
    expect(await project()).toEqual(['media/a.mp4', 'media/b.mp3']);
  });

  it('leave in the folder what a person put there', async () => {
    await fill('tts');
    await mkdir(join(place.out, 'media/unfit'), { recursive: true });
    await writeFile(join(place.out, 'media/unfit/note.txt'), 'mine');
    await project();
    await rm(join(place.out, 'media/unfit/a.mp3'));
    await writeFile(join(place.out, 'media/unfit/a.mp3'), 'edited by hand');
    await accept();
    expect(await project()).toContain('media/unfit/a.mp3');
    expect(await project()).toContain('media/unfit/note.txt');
  });

  it('are neither written nor removed behind a symbolic link', async () => {
    await fill('tts');
    await project();
    const [folder, elsewhere] = [join(place.out, 'media/unfit'), join(place.folder, 'elsewhere')];
    await rename(folder, elsewhere);
    await symlink(elsewhere, folder);
    await expect(projectBatch(place.request())).rejects.toThrow(new LinkedFolder(folder));
    await accept();
    expect((await projectBatch(place.request())).mismatches).toEqual([]);
    expect(await readdir(elsewhere)).toEqual(['a.mp3']);
  });

  it('do not add up without the result', async () => {
    await fill('tts');
    await project();
    await rm(join(place.out, 'media/unfit/a.mp3'));
    expect((await verifyOut(place.out)).mismatches).toMatchObject([{ where: 'row 1, media/unfit/a.mp3' }]);
  });
});
