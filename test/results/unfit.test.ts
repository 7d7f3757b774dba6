import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Kind } from '../../contract/row-kinds.ts';
import { writeOutFolder } from '../../results/write-out-folder.ts';
import { LinkedFolder } from '../../results/errors.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { redriveNow } from '../ledger/setup.ts';
import { addBatch, finish, finishUnfit, keyOf } from './sample-batch.ts';
import { freshPlace } from '../support/place.ts';
import { OutFiles } from './out-files.ts';

/** Results that did not pass a check: they have a folder of their own until a person accepts them. */

const place = freshPlace();
const out = new OutFiles(place);

/** Two rows; the speech of the first is silent. */
async function fill(kind: Kind): Promise<void> {
  const rows = [{ id: 'a', kind, input: ['one'] } as const, { id: 'b', kind: 'tts', input: ['two'] } as const];
  await addBatch(place, ['text'], rows);
  await finishUnfit(place, 1, kind);
  await finish(place, keyOf(2), await place.store.put('demo/2-speech-1.mp3', 'hello'), 3);
}

const accept = (): Promise<unknown> => redriveNow(place.ledger, 'demo', [{ row: 1, take: 1, how: { type: 'accept' } }]);

const project = async (complete = true): Promise<readonly string[]> => {
  await out.project(complete);
  return out.names('media');
};

describe('the files of an unfit row', () => {
  it('name its result, which lies apart, its reason and its price', async () => {
    await fill('tts');
    expect(await project()).toEqual(['b.mp3', 'unfit/a.mp3']);
    expect(await out.read('media/unfit/a.mp3')).toBe('nothing to hear');
    expect(await out.line(1)).toMatchObject({
      _outcome: 'unfit',
      _file: 'media/unfit/a.mp3',
      _error_class: 'Unfit',
      _message: expect.stringContaining('silent'),
      _credits: 4,
      _credits_kind: 'reported',
      _job_ids: ['job-1'],
    });
    expect(await out.read('unfit.csv')).toContain('media/unfit/a.mp3');
    const [receipt] = await out.lines('receipts.jsonl');
    const file = { name: 'media/unfit/a.mp3' };
    expect(receipt).toMatchObject({ verdict: 'accepted', error_class: 'Unfit', charged: 4, file });
  });

  it('are those of a good row once it is accepted; the result moves', async () => {
    await fill('tts');
    await project();
    await accept();
    expect(await project()).toEqual(['a.mp3', 'b.mp3']);
    expect(await out.line(1)).toMatchObject({
      _outcome: 'succeeded',
      _file: 'media/a.mp3',
      _error_class: '',
      _credits: 4,
    });
    expect(await readdir(place.out)).not.toContain('unfit.csv');
  });

  it('lose the speech of a chain that went on after it was accepted', async () => {
    await fill('dub');
    expect(await project()).toEqual(['b.mp3', 'unfit/a.mp3']);
    await accept();
    expect(await project(false)).toEqual(['b.mp3']);
    await finish(place, keyOf(1, 'lip-sync'), await place.store.put('demo/1-lip-sync-1.mp4', 'video'), 8);
    expect(await project()).toEqual(['a.mp4', 'b.mp3']);
  });

  it('leave in the folder what a person put there', async () => {
    await fill('tts');
    await mkdir(out.pathOf('media/unfit'), { recursive: true });
    await writeFile(out.pathOf('media/unfit/note.txt'), 'mine');
    await project();
    await rm(out.pathOf('media/unfit/a.mp3'));
    await writeFile(out.pathOf('media/unfit/a.mp3'), 'edited by hand');
    await accept();
    expect(await project()).toEqual(expect.arrayContaining(['unfit/a.mp3', 'unfit/note.txt']));
  });

  it('are neither written nor removed behind a symbolic link', async () => {
    await fill('tts');
    await project();
    const [folder, elsewhere] = [out.pathOf('media/unfit'), join(place.folder, 'elsewhere')];
    await rename(folder, elsewhere);
    await symlink(elsewhere, folder);
    await expect(writeOutFolder(place.request())).rejects.toThrow(new LinkedFolder(folder));
    await accept();
    expect((await writeOutFolder(place.request())).mismatches).toEqual([]);
    expect(await readdir(elsewhere)).toEqual(['a.mp3']);
  });

  it('do not add up without the result', async () => {
    await fill('tts');
    await project();
    await rm(out.pathOf('media/unfit/a.mp3'));
    expect((await verifyOut(place.out)).mismatches).toMatchObject([{ where: 'row 1, media/unfit/a.mp3' }]);
  });
});
