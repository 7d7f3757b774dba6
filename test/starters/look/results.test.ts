import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { claimFolder } from '../../../store/owner-file.ts';
import { addBatch, addSampleBatch, finish, intend, keyOf } from '../../results/sample-batch.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

const invocation = placeForEach();
const { place } = invocation;

const ROWS = [
  { id: '2', kind: 'tts', input: ['2', 'one'] },
  { id: 'b', kind: 'tts', input: ['b', 'two'] },
] as const;

describe('results and verify', () => {
  it('write and check the files of a finished batch', async () => {
    await addSampleBatch(place);
    const written = await run('results');
    expect(written).toMatchObject({ code: 13, stderr: '' });
    expect(written.stdout).toContain('results: out/demo/results.csv');
    const checked = await run('verify');
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toContain('out/demo: 7 rows (3 succeeded, 1 failed, 1 unknown, 1 overdue, 1 cancelled)');
    expect(checked.stdout).toContain('Everything adds up');
    for (const given of ['demo', 'out/demo']) expect((await run('verify', given)).code).toBe(0);
  });

  it('write the files of a batch in the middle of its run', async () => {
    await addBatch(place, ['id', 'text'], ROWS);
    const file = await place.store.put('demo/1-speech-1.mp3', 'sound');
    await finish(place, keyOf(1), file, 3);
    await intend(place, keyOf(2));
    const { code, value } = await json('results', 'demo', '--out', 'here', '--json');
    expect(code).toBe(75);
    expect(value).toMatchObject({ exit: 'goesOn', outcomes: { succeeded: 1 }, credits: { charged: 3, reserved: 10 } });
    expect(await readFile('here/media/2.mp3', 'utf8')).toBe('sound');
    const { code: verified, value: report } = await json('verify', 'here', '--json');
    expect(verified).toBe(0);
    expect(report).toMatchObject({ batch: 'demo', rows: 2, unfinished: 1, mismatches: [] });
    expect((await run('verify', 'here')).stderr).toBe(
      'The batch had not ended when these files were written. To write them as it is now: voxbatch results demo --out here\n',
    );
    // Results are linked while it runs, and the tables are written at its end.
    await mkdir('out/demo/media', { recursive: true });
    const { code: unwritten, stderr } = await run('verify');
    expect(unwritten).toBe(15);
    expect(stderr).toContain(
      'The batch has not ended, so its files are not written yet. To write them as they stand: voxbatch results demo\n',
    );
    expect(stderr).not.toContain('Write the files again');
  });

  it('say of a table of rows that somebody edited only that, as one may edit it', async () => {
    await addSampleBatch(place);
    await run('results');
    const failed = await readFile('out/demo/failed.csv', 'utf8');
    await writeFile('out/demo/failed.csv', failed.replace('bad voice', 'good voice'));
    const { code, stdout, stderr } = await run('verify');
    expect(code).toBe(15);
    expect(stdout).toContain('Everything adds up but failed.csv, which was changed.');
    expect(stderr).toBe(
      'out/demo/failed.csv was changed after it was written. If you edited it, run it: voxbatch run out/demo/failed.csv\n',
    );
  });

  it('end with 15 and name what does not add up', async () => {
    await addSampleBatch(place);
    await run('results');
    await rm('out/demo/media/a.mp3');
    await appendFile('out/demo/receipts.jsonl', '{}\n');
    const { code, stdout, stderr } = await run('verify', 'demo');
    expect(code).toBe(15);
    expect(stdout).toContain('not add up.');
    expect(stderr).toContain('Write the files again: voxbatch results demo\n');
    expect(stderr).toMatch(/DOES NOT ADD UP: .*receipts\.jsonl/);
    expect(stderr).toMatch(/DOES NOT ADD UP: .*a\.mp3/);

    await rm(join(place.folder, 'store', 'demo', '1-speech-1.mp3'));
    const again = await run('results');
    expect(again.code).toBe(15);
    expect(again.stderr).toContain('DOES NOT ADD UP: ');
  });

  it('do not send one in a circle where the store has lost the file, but name the row and what makes it anew', async () => {
    await addSampleBatch(place);
    const store = join(place.folder, 'store');
    await run('results');
    await rm(join(store, 'demo', '1-speech-1.mp3'));
    // What lies in the out folder was paid for, too.
    expect((await run('results')).stderr).not.toContain('voxbatch redrive');
    const lost = await run('results', '--out', 'elsewhere');
    expect(lost.code).toBe(15);
    expect(lost.stderr).toContain(`The stored result of a (row 1) is missing or damaged in the store, ${store}.`);
    expect(lost.stderr).toContain('If VOXBATCH_STORE');
    expect(lost.stderr).toContain('If it is lost: voxbatch redrive demo --damaged\nIt fetches what a job made');
    await claimFolder(store, place.ledger.id);
    const redrive = await run('redrive', 'demo', '--rows', 'a', '--dry-run');
    expect(redrive.stdout).toContain('1 row whose job was paid for: wait for the result again, free');

    await rm('out/demo/media/a.mp3');
    const checked = await run('verify');
    expect(checked.code).toBe(15);
    expect(checked.stderr).toContain('voxbatch redrive demo --damaged\n');
    expect(checked.stderr).not.toContain('voxbatch results demo\nThe');
    expect(checked.stderr).not.toContain('Write the files again');
    const { value } = await json('verify', '--json');
    expect(value).toMatchObject({ damaged_in_store: [{ row: 1, id: 'a', is: 'missing' }] });
  });

  it('see a stored file that was changed in place, through its link in the out folder', async () => {
    await addSampleBatch(place);
    await run('results', '--out', 'here');
    await writeFile(join(place.folder, 'store', 'demo', '1-speech-1.mp3'), 'noise');
    const { code, stderr } = await run('verify', 'here');
    expect(code).toBe(15);
    expect(stderr).toContain('voxbatch redrive demo --damaged\n');
    expect(stderr).not.toContain('If VOXBATCH_STORE');
    await rm('here/results.csv');
    expect((await run('verify', 'here')).stderr).toContain('voxbatch results demo --out here\n');
  });

  it('refuse to verify what is not there', async () => {
    await addSampleBatch(place);
    const { code, stderr } = await run('verify', 'demo');
    expect(code).toBe(2);
    expect(stderr).toContain('Give a folder that holds summary.json, or the name of a batch.');
  });

  it('overwrite neither the files of a person nor those of another batch', async () => {
    await addSampleBatch(place);
    await mkdir('mine');
    await writeFile('mine/failed.csv', 'my own notes');
    const own = await run('results', '--out', 'mine');
    expect(own.code).toBe(2);
    expect(own.stderr).toMatch(/mine has a file failed\.csv that is not of it.*--out NEW-FOLDER/);
    expect(await readdir('mine')).toEqual(['failed.csv']);
    expect(await readFile('mine/failed.csv', 'utf8')).toBe('my own notes');
    await run('results', '--out', 'theirs');
    const summary = await readFile('theirs/summary.json', 'utf8');
    await writeFile('theirs/summary.json', summary.replace('"demo"', '"other"'));
    const other = await run('results', '--out', 'theirs');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('theirs holds the results of batch "other"');
  });

  it('refuse a folder that cannot be made', async () => {
    await addSampleBatch(place);
    const { code, stderr } = await run('results', '--out', join(place.folder, 'ledger.db', 'out'));
    expect(code).toBe(2);
    expect(stderr).toContain('Choose another with --out FOLDER');
  });
});

describe('results of a folder that somebody else has made', () => {
  /** A finished row whose file is to lie in a folder of the user's, over one of theirs. */
  const plant = async (id: string, template: string): Promise<void> => {
    await addBatch(place, ['id', 'text'], [{ id, kind: 'tts', input: [id, 'one'] }], template);
    await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'evil'), 3);
    await place.ledger.closeBatch('demo');
    await mkdir('victim/media', { recursive: true });
    for (const name of ['.bashrc', '.bashrc.mp3', 'media/a.mp3']) await writeFile(join('victim', name), 'mine');
  };
  const untouched = async (): Promise<void> => {
    for (const name of ['.bashrc', '.bashrc.mp3', 'media/a.mp3'])
      expect(await readFile(join('victim', name), 'utf8')).toBe('mine');
    expect((await readdir('victim')).sort()).toEqual(['.bashrc', '.bashrc.mp3', 'media']);
  };

  it.each([
    ['out/demo/media', 'victim'],
    ['out/demo', 'victim'],
    ['out', '.'],
  ])('writes nothing where %s is a symbolic link, and says what to do', async (link, target) => {
    await plant('.bashrc', '{id}.{ext}');
    const path = join(invocation.line.folder, link);
    await mkdir(join(path, '..'), { recursive: true });
    await symlink(join(invocation.line.folder, target), path);
    const { code, stdout, stderr } = await run('results');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      `${path} is a symbolic link, which could lead to any folder of yours. Nothing was written there. Nothing was spent. Remove it: rm ${path}.`,
    );
    await untouched();
  });

  it('writes nothing behind a link further down, which no claim of the folder finds', async () => {
    await plant('deep/v/.bashrc', '{id}.{ext}');
    expect((await run('results')).code).toBe(0);
    const path = join(invocation.line.folder, 'out/demo/media/deep');
    await rm(path, { recursive: true });
    await mkdir(path);
    await symlink(join(invocation.line.folder, 'victim'), join(path, 'v'));
    const { code, stderr } = await run('results');
    expect(code).toBe(2);
    expect(stderr).toContain(`${path}/v is a symbolic link`);
    expect(stderr).toContain('the same command pays for nothing twice');
    await untouched();
  });

  it('makes no name without the extension of what the file is, whatever template the ledger has', async () => {
    await plant('.bashrc', '{id}');
    const { code, stderr } = await run('results');
    expect(code).toBe(15);
    expect(stderr).toContain('DOES NOT ADD UP: row 1: expected a name for its file');
    expect(await readdir('out/demo')).not.toContain('media');
  });

  it('follows a link that the user names', async () => {
    await plant('a', '{id}.{ext}');
    await mkdir('elsewhere');
    await symlink('elsewhere', 'mine');
    expect((await run('results', '--out', 'mine')).code).toBe(0);
    expect(await readFile('elsewhere/media/a.mp3', 'utf8')).toBe('evil');
  });
});
