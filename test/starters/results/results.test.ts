import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { claimFolder } from '../../../store/owner-file.ts';
import { addBatch, addSampleBatch, finish, intend, keyOf } from '../../results/sample-batch.ts';
import { expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();

/** The stored speech of row 1 of the sample. */
const stored = (): string => join(place.folder, 'store', 'demo', '1-speech-1.mp3');
const DAMAGED = 'voxbatch redrive demo --damaged\n';

describe('results and verify', () => {
  it('write and check the files of a finished batch', async () => {
    await addSampleBatch(place);
    await expectRun('verify demo', 2, 'Give a folder that holds summary.json, or the name of a batch.');
    // Of no batch of that name, the command to write its files is not known.
    await expectRun('verify out/i', 2, { not: /BATCH/, err: 'The names of the batches: voxbatch list' });
    await expectRun('results', 13, { out: 'results: out/demo/results.csv', err: '' });
    const counts = 'out/demo: 7 rows (3 succeeded, 1 failed, 1 unknown, 1 overdue, 1 cancelled)';
    await expectRun('verify', 0, { out: [counts, 'Everything adds up'], err: '' });
    for (const given of ['demo', 'out/demo']) await expectRun(`verify ${given}`, 0);
  });

  it('write URLs only where the store has them, and say so before anything is written', async () => {
    await addSampleBatch(place);
    await expectRun('results demo --media-links 7d', 2, 'expected a store in a bucket, whose files have URLs');
    await expectRun('results demo --media-links 8d', 2, 'at most 7d');
    expect(await readdir('.')).not.toContain('out');
  });

  it('write the files of a batch in the middle of its run', async () => {
    const row = (id: string, text: string) => ({ id, kind: 'tts', input: [id, text] }) as const;
    await addBatch(place, ['id', 'text'], [row('2', 'one'), row('b', 'two')]);
    await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound'), 3);
    await intend(place, keyOf(2));
    const { code, value } = await json('results demo --out here');
    expect(code).toBe(75);
    expect(value).toMatchObject({
      exit: 'unfinished',
      outcomes: { succeeded: 1 },
      credits: { charged: 3, reserved: 10 },
    });
    expect(await readFile('here/media/2.mp3', 'utf8')).toBe('sound');
    const report = { batch: 'demo', rows: 2, unfinished: 1, mismatches: [] };
    expect(await json('verify here')).toMatchObject({ code: 0, value: report });
    const anew =
      'The batch had not ended when these files were written. To write them as it is now: voxbatch results demo --out here\n';
    await expectRun('verify here', 0, anew);
    // Results are linked while it runs, and the tables are written at its end.
    await mkdir('out/demo/media', { recursive: true });
    const err =
      'The batch has not ended, so its files are not written yet. To write them as they stand: voxbatch results demo\n';
    await expectRun('verify', 15, { err, not: 'Write the files again' });
  });

  it('end with 15 and name what does not add up', async () => {
    await addSampleBatch(place);
    await run('results');
    await rm('out/demo/media/a.mp3');
    await appendFile('out/demo/receipts.jsonl', '{}\n');
    const mismatches = [/DOES NOT ADD UP: .*receipts\.jsonl/, /DOES NOT ADD UP: .*a\.mp3/];
    const err = ['Write the files again: voxbatch results demo\n', ...mismatches];
    await expectRun('verify demo', 15, { out: 'not add up.', err });
    await rm(stored());
    await expectRun('results', 15, 'DOES NOT ADD UP: ');
  });

  it('do not send one in a circle where the store has lost the file, but name the row and what makes it anew', async () => {
    await addSampleBatch(place);
    const store = join(place.folder, 'store');
    await run('results');
    await rm(stored());
    // What lies in the out folder was paid for, too.
    expect((await run('results')).stderr).not.toContain('voxbatch redrive');
    const lost = `The stored result of a (row 1) is missing or damaged in the store, ${store}.`;
    const cure = `If it is lost: ${DAMAGED}It fetches what a job made`;
    await expectRun('results --out elsewhere', 15, [lost, 'If VOXBATCH_STORE', cure]);
    await claimFolder(store, place.ledger.id);
    const out = '1 row whose job was paid for: wait for the result again, free';
    await expectRun('redrive demo --rows a --dry-run', 0, { out });
    await rm('out/demo/media/a.mp3');
    await expectRun('verify', 15, { err: DAMAGED, not: ['voxbatch results demo\nThe', 'Write the files again'] });
    const damaged = [{ row: 1, id: 'a', is: 'missing' }];
    expect((await json('verify')).value).toMatchObject({ damaged_in_store: damaged });
  });

  it('see a stored file that was changed in place, through its link in the out folder', async () => {
    await addSampleBatch(place);
    await run('results --out here');
    await writeFile(stored(), 'noise');
    await expectRun('verify here', 15, { err: DAMAGED, not: 'If VOXBATCH_STORE' });
    await rm('here/results.csv');
    expect((await run('verify here')).stderr).toContain('voxbatch results demo --out here\n');
  });

  it('overwrite neither the files of a person nor those of another batch, and refuse a folder that cannot be made', async () => {
    await addSampleBatch(place);
    await mkdir('mine');
    await writeFile('mine/failed.csv', 'my own notes');
    await expectRun('results --out mine', 2, /mine has a file failed\.csv that is not of it.*--out NEW-FOLDER/);
    expect(await readdir('mine')).toEqual(['failed.csv']);
    expect(await readFile('mine/failed.csv', 'utf8')).toBe('my own notes');
    await run('results --out theirs');
    const summary = await readFile('theirs/summary.json', 'utf8');
    await writeFile('theirs/summary.json', summary.replace('"demo"', '"other"'));
    await expectRun('results --out theirs', 2, 'theirs holds the results of batch "other"');
    const impossible = join(place.folder, 'ledger.db', 'out');
    await expectRun(['results --out', impossible], 2, 'Choose another with --out FOLDER');
  });
});

describe('results of a folder that somebody else has made', () => {
  const THEIRS = ['.bashrc', '.bashrc.mp3', 'media/a.mp3'];
  /** A finished row whose file is to lie in a folder of the user's, over one of theirs. */
  const plant = async (id: string, template: string): Promise<void> => {
    await addBatch(place, ['id', 'text'], [{ id, kind: 'tts', input: [id, 'one'] }], template);
    await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'evil'), 3);
    await place.ledger.closeBatch('demo');
    await mkdir('victim/media', { recursive: true });
    for (const name of THEIRS) await writeFile(join('victim', name), 'mine');
  };
  const untouched = async (): Promise<void> => {
    for (const name of THEIRS) expect(await readFile(join('victim', name), 'utf8')).toBe('mine');
    expect((await readdir('victim')).sort()).toEqual(['.bashrc', '.bashrc.mp3', 'media']);
  };

  it.each([
    ['out/demo/media', 'victim'],
    ['out/demo', 'victim'],
    ['out', '.'],
  ])('writes nothing where %s is a symbolic link, and says what to do', async (link, target) => {
    await plant('.bashrc', '{id}.{ext}');
    const path = join(process.cwd(), link);
    await mkdir(join(path, '..'), { recursive: true });
    await symlink(join(process.cwd(), target), path);
    const why = `${path} is a symbolic link, which could lead to any folder of yours. Nothing was written there.`;
    await expectRefused('results', `${why} Nothing was spent. Remove it: rm ${path}.`);
    await untouched();
  });

  it('writes nothing behind a link further down, which no claim of the folder finds', async () => {
    await plant('deep/v/.bashrc', '{id}.{ext}');
    await expectRun('results', 0);
    const path = join(process.cwd(), 'out/demo/media/deep');
    await rm(path, { recursive: true });
    await mkdir(path);
    await symlink(join(process.cwd(), 'victim'), join(path, 'v'));
    const err = [`${path}/v is a symbolic link`, 'the same command pays for nothing twice'];
    await expectRun('results', 2, err);
    await untouched();
  });

  it('makes no name without the extension of what the file is, whatever template the ledger has', async () => {
    await plant('.bashrc', '{id}');
    await expectRun('results', 15, 'DOES NOT ADD UP: row 1: expected a name for its file');
    expect(await readdir('out/demo')).not.toContain('media');
  });

  it('follows a link that the user names', async () => {
    await plant('a', '{id}.{ext}');
    await mkdir('elsewhere');
    await symlink('elsewhere', 'mine');
    await expectRun('results --out mine', 0);
    expect(await readFile('elsewhere/media/a.mp3', 'utf8')).toBe('evil');
  });
});
