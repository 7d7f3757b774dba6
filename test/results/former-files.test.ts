import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { byItself } from '../../contract/actions.ts';
import { formerFolder } from '../../results/former-files.ts';
import { writeOutFolder } from '../../results/write-out-folder.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { freshPlace } from '../support/place.ts';
import { OutFiles } from './out-files.ts';
import { addSpeech, finish, keyOf, refuse } from './sample-batch.ts';
import { dieAt, onPublishing } from './publishing.ts';

const place = freshPlace();
const out = new OutFiles(place);
const TABLES = ['results.csv', 'results.jsonl', 'receipts.jsonl', 'summary.json'];

const formerNow = async (): Promise<string> =>
  (await writeOutFolder(place.request({ complete: false }))).kept.former ?? '';
const readAll = (folder = ''): Promise<readonly string[]> =>
  Promise.all(TABLES.map((name) => out.read(join(folder, name))));

/** Both rows end, which the files do not say yet: one table more. */
async function endRows(): Promise<void> {
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound of a'));
  await refuse(place, keyOf(2), { class: 'BadRequest', message: 'no' });
}

/** Accepts a copy. Stands for a ledger that lost rows: there, too, the files say something else. */
async function acceptAnother(): Promise<readonly string[]> {
  const former = await readAll();
  await endRows();
  await place.ledger.acceptCopy(byItself(null));
  return former;
}

describe('files of before a copy of the ledger was accepted', () => {
  beforeEach(async () => {
    await addSpeech(place, 'a', 'b');
    expect(await formerNow()).toBe('');
  });

  it('are kept in a folder when they are written again, once, and what is written later is not', async () => {
    const former = await acceptAnother();
    const folder = await formerNow();
    expect(folder).toMatch(/^before-copy-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/);
    expect(await readAll(folder)).toEqual(former);
    expect(await readAll()).not.toEqual(former);
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
    await place.ledger.clearDoubts(byItself(null));
    await place.ledger.setControl('demo', 'running');
    expect(await formerNow()).toBe('');
    expect(await readAll(folder)).toEqual(former);
  });

  it('are kept whole although the command was killed when it had replaced some', async () => {
    const former = await acceptAnother();
    const ending = onPublishing({ after: dieAt('failed.csv') });
    await expect(formerNow()).rejects.toThrow('killed');
    ending();
    expect(await readAll()).not.toEqual(former);
    const folder = await formerNow();
    expect(await readAll(folder)).toEqual(former);
    expect((await readdir(out.pathOf(folder))).toSorted()).toEqual(TABLES.toSorted());
  });

  it('stay as they are on a copy that nobody has accepted', async () => {
    const former = await readAll();
    await endRows();
    const ledger = { ...place.ledger, acceptedAt: () => Promise.reject(new Error('a copy')) };
    await expect(writeOutFolder({ ...place.request({ complete: false }), ledger })).rejects.toThrow('a copy');
    expect(await readAll()).toEqual(former);
  });

  it('are not kept behind a symbolic link of somebody else', async () => {
    await acceptAnother();
    const at = new Date((await place.ledger.acceptedAt()) ?? 0).toISOString();
    await mkdir(`${place.out}-other`);
    await symlink(`${place.out}-other`, out.pathOf(formerFolder(at)));
    await expect(formerNow()).rejects.toMatchObject({ name: 'LinkedFolder' });
  });
});
