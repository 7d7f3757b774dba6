import { describe, expect, it } from '@jest/globals';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expandGlob } from '../../inputs/expand-glob.ts';
import { digestOf, openManifest } from '../../inputs/manifest-source.ts';
import { describeProblem } from '../../contract/manifest-problems.ts';
import { readManifest, summarizeManifest, type ManifestSummary } from '../../inputs/read-manifest.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { loadFile, OPTIONS } from './manifest-file.ts';

const folder = folderForEach();

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(folder(name)), { recursive: true });
    await writeFile(folder(name), content);
  }
}

const csv = (...rows: readonly string[]): string => ['id,text,voice', ...rows, ''].join('\n');

async function check(pattern: string): Promise<ManifestSummary> {
  return summarizeManifest(await openManifest(folder(pattern)), OPTIONS);
}

/** Its problems, without the folder. */
async function problemsOf(pattern: string): Promise<readonly string[]> {
  return (await check(pattern)).problems.map((one) => describeProblem(one).replaceAll(`${folder()}/`, ''));
}

describe('a manifest of several files', () => {
  it('is one table: its files follow each other by name', async () => {
    await write({ 'b.csv': csv('b,Two.,v'), 'a.csv': csv('a1,One.,v', 'a2,One more.,v'), 'c.txt': 'no' });
    const { rows, summary } = await loadFile(folder('*.csv'));
    expect(rows.map(({ row, id, line }) => `${row} ${id} ${line}`)).toEqual(['1 a1 2', '2 a2 3', '3 b 2']);
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

  it('may write numbers with a decimal comma where semicolons separate the cells, and only there', async () => {
    const semicolons = 'id;text;voice;speed\nb;Two.;v;1,5\nc;Three.;v;0.8\n';
    await write({ 'a.csv': 'id,text,voice,speed\na,One.,v,1.2\n', 'b.csv': semicolons });
    const { rows } = await loadFile(folder('*.csv'));
    expect(rows.map(({ spec }) => spec.speed)).toEqual([1.2, 1.5, 0.8]);
    await write({ 'b.csv': 'id,text,voice,speed\nb,Two.,v,"1,5"\n' });
    expect(await problemsOf('*.csv')).toEqual([expect.stringMatching(/^b\.csv, line 2, .* got "1,5"$/)]);
  });

  it('of JSON lines may add columns in any file', async () => {
    const line = (id: string, more = ''): string => `{"id":"${id}","text":"One.","voice":"v"${more}}\n`;
    await write({ 'a.jsonl': line('a'), 'b.jsonl': line('b', ',"note":"x"'), 'c.jsonl': line('c') });
    const { rows, summary } = await loadFile(folder('*.jsonl'));
    expect(summary.columns).toEqual(['id', 'text', 'voice', 'note']);
    expect(rows.map(({ input }) => input.join())).toEqual(['a,One.,v,', 'b,One.,v,x', 'c,One.,v,']);
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
    const source = await openManifest(folder('*.csv'));
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
    await expect(check('*.csv')).rejects.toThrow(`no file matches ${folder('*.csv')}. Nothing was spent.`);
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
    await mkdir(folder('folder.csv'));
    expect(await expandGlob(folder(pattern))).toEqual(names.map((name) => folder(name)));
  });

  it('follows a link to a file, and none to a folder, which may lead back', async () => {
    await write({ 'deep/a.csv': 'x' });
    await symlink(folder('deep', 'a.csv'), folder('link.csv'));
    await symlink(folder(), folder('deep', 'loop'));
    expect(await expandGlob(folder('**', '*.csv'))).toEqual([folder('deep', 'a.csv'), folder('link.csv')]);
  });

  it('refuses a folder that is there and cannot be read: its rows would be left out', async () => {
    // The name is too long for any file system, which is an error other than that it is not there.
    await expect(expandGlob(folder('x'.repeat(300), '*.csv'))).rejects.toThrow('ENAMETOOLONG');
    await expect(check(join('x'.repeat(300), '*.csv'))).rejects.toThrow('cannot read the manifest');
  });

  it('follows a link to a folder, except for `**`', async () => {
    await write({ 'far/a.csv': csv('a,One.,v'), 'drop/en/b.csv': csv('b,Two.,v') });
    await symlink(folder('far'), folder('drop', 'de'));
    await symlink(folder('gone'), folder('drop', 'fr'));
    const found = ['de/a.csv', 'en/b.csv'].map((name) => folder('drop', name));
    expect(await expandGlob(folder('drop', '*', '*.csv'))).toEqual(found);
  });

  it('is a name where a file has it', async () => {
    await write({ 'a?.csv': csv('a,One.,v'), 'ab.csv': csv('b,Two.,v') });
    expect((await check('a?.csv')).rows).toBe(1);
  });
});
