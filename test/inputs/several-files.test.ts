import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expandGlob } from '../../inputs/expand-glob.ts';
import { digestOf, openManifest } from '../../inputs/manifest-source.ts';
import { describeProblem } from '../../contract/manifest-problems.ts';
import { readManifest, summarizeManifest, type ManifestSummary } from '../../inputs/read-manifest.ts';
import { loadFile, OPTIONS } from './manifest-file.ts';

const HEADER = 'id,text,voice';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

function csv(...rows: readonly string[]): string {
  return `${[HEADER, ...rows].join('\n')}\n`;
}

async function check(pattern: string): Promise<ManifestSummary> {
  return summarizeManifest(await openManifest(join(folder, pattern)), OPTIONS);
}

/** Its problems, without the folder. */
async function problemsOf(pattern: string): Promise<readonly string[]> {
  return (await check(pattern)).problems.map((one) => describeProblem(one).replaceAll(`${folder}/`, ''));
}

describe('a manifest of several files', () => {
  it('is one table: its files follow each other by name', async () => {
    await write({ 'b.csv': csv('b,Two.,v'), 'a.csv': csv('a1,One.,v', 'a2,One more.,v'), 'c.txt': 'no' });
    const { rows, summary } = await loadFile(join(folder, '*.csv'));
    expect(rows.map(({ row, id, line }) => [row, id, line])).toEqual([
      [1, 'a1', 2],
      [2, 'a2', 3],
      [3, 'b', 2],
    ]);
    expect(summary).toMatchObject({ rows: 3, columns: ['id', 'text', 'voice'] });
  });

  it('has its ids once over all files, and names file and line of both', async () => {
    await write({ 'a.csv': csv('x,One.,v'), 'b.csv': csv('y,Two.,v', 'X,Three.,v'), 'c.csv': csv('z,,v') });
    const [twice, missing, ...others] = await problemsOf('*.csv');
    expect(twice).toBe(
      'b.csv, line 3, id X, column id: expected a unique id, ignoring case; line 2 of a.csv has the same; got X',
    );
    expect(missing).toMatch(/^c[.]csv, line 2, id z, column text: /);
    expect(others).toEqual([]);
  });

  it('has one header, and each file may have its own delimiter', async () => {
    await write({ 'a.csv': csv('a,One.,v'), 'b.csv': csv('b,Two.,v').replaceAll(',', ';') });
    expect(await problemsOf('*.csv')).toEqual([]);
    await write({ 'c.csv': 'id,voice,text\nc,v,Three.\nd,v,Four.\n' });
    expect(await problemsOf('*.csv')).toEqual([
      'c.csv, line 1: expected the same header as in the first file; the rest of this file was not checked; got "id, voice, text"',
    ]);
  });

  it('of JSON lines may add columns in any file', async () => {
    await write({
      'a.jsonl': '{"id":"a","text":"One.","voice":"v"}\n',
      'b.jsonl': '{"id":"b","text":"Two.","voice":"v","note":"x"}\n',
      'c.jsonl': '{"id":"c","text":"Three.","voice":"v"}\n',
    });
    const { rows, summary } = await loadFile(join(folder, '*.jsonl'));
    expect(summary.columns).toEqual(['id', 'text', 'voice', 'note']);
    expect(rows.map(({ input }) => input)).toEqual([
      ['a', 'One.', 'v', ''],
      ['b', 'Two.', 'v', 'x'],
      ['c', 'Three.', 'v', ''],
    ]);
  });

  it('has a problem where a file is empty, and none where one has only a header', async () => {
    await write({ 'a.csv': csv('a,One.,v'), 'b.csv': csv() });
    expect(await problemsOf('*.csv')).toEqual([]);
    await write({ 'c.csv': '' });
    expect(await problemsOf('*.csv')).toEqual([
      'c.csv, line 1: expected a header and at least one row; got an empty file',
    ]);
  });

  it('has one digest over all of them, and is refused where one changes after the check', async () => {
    await write({ 'a.csv': csv('a,One.,v'), 'b.csv': csv('b,Two.,v') });
    const source = await openManifest(join(folder, '*.csv'));
    const checked = await summarizeManifest(source, OPTIONS);
    expect(checked.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await digestOf(source)).toBe(checked.digest);
    source.rows.drop();
    await write({ 'b.csv': csv('b,Three.,v') });
    const rows = readManifest(source, OPTIONS, checked);
    await expect(async () => {
      while ((await rows.next()).done !== true);
    }).rejects.toThrow('a file that changed since');
    expect(await digestOf(source)).not.toBe(checked.digest);
  });

  it('of a single file is that file', async () => {
    await write({ 'a.csv': csv('a,One.,v') });
    const { digest } = await check('*.csv');
    expect(digest).toBe((await check('a.csv')).digest);
    await write({ 'a.csv': csv('a,,v') });
    expect((await problemsOf('*.csv'))[0]).toMatch(/^line 2/);
  });

  it('is refused where no file matches, or where they are of two formats', async () => {
    await expect(check('*.csv')).rejects.toThrow(`no file matches ${join(folder, '*.csv')}. Nothing was spent.`);
    await write({ 'a.csv': csv('a,One.,v'), 'b.jsonl': '{"id":"b"}\n' });
    await expect(check('*')).rejects.toThrow('expected files of one format');
  });
});

describe('a pattern', () => {
  it.each([
    ['*.csv', ['a.csv', 'b.csv']],
    ['?.csv', ['a.csv', 'b.csv']],
    ['**/*.csv', ['a.csv', 'b.csv', 'deep/c.csv', 'deep/er/d.csv']],
    ['deep/*/*.csv', ['deep/er/d.csv']],
    ['*/c.csv', ['deep/c.csv']],
    ['.*.csv', ['.hidden.csv']],
    ['a+b.*', ['a+b.tsv']],
    ['*.CSV', []],
    ['gone/*.csv', []],
  ])('%s matches %j', async (pattern, names) => {
    const files = ['a.csv', 'b.csv', 'a+b.tsv', '.hidden.csv', 'deep/c.csv', 'deep/er/d.csv', '.git/e.csv'];
    await write(Object.fromEntries(files.map((name) => [name, 'x'])));
    await mkdir(join(folder, 'folder.csv'));
    expect(await expandGlob(join(folder, pattern))).toEqual(names.map((name) => join(folder, name)));
  });

  it('follows a link to a file, and none to a folder, which may lead back', async () => {
    await write({ 'deep/a.csv': 'x' });
    await symlink(join(folder, 'deep', 'a.csv'), join(folder, 'link.csv'));
    await symlink(folder, join(folder, 'deep', 'loop'));
    expect(await expandGlob(join(folder, '**', '*.csv'))).toEqual([
      join(folder, 'deep', 'a.csv'),
      join(folder, 'link.csv'),
    ]);
  });

  it('refuses a folder that is there and cannot be read: its rows would be left out', async () => {
    // The name is too long for any file system, which is an error other than that it is not there.
    await expect(expandGlob(join(folder, 'x'.repeat(300), '*.csv'))).rejects.toThrow('ENAMETOOLONG');
    await expect(check(join('x'.repeat(300), '*.csv'))).rejects.toThrow('cannot read the manifest');
  });

  it('follows a link to a folder, except for `**`', async () => {
    await write({ 'far/a.csv': csv('a,One.,v'), 'drop/en/b.csv': csv('b,Two.,v') });
    await symlink(join(folder, 'far'), join(folder, 'drop', 'de'));
    await symlink(join(folder, 'gone'), join(folder, 'drop', 'fr'));
    expect(await expandGlob(join(folder, 'drop', '*', '*.csv'))).toEqual([
      join(folder, 'drop', 'de', 'a.csv'),
      join(folder, 'drop', 'en', 'b.csv'),
    ]);
  });

  it('is a name where a file has it', async () => {
    await write({ 'a?.csv': csv('a,One.,v'), 'ab.csv': csv('b,Two.,v') });
    expect((await check('a?.csv')).rows).toBe(1);
  });
});
