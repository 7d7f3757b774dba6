import { describe, expect, it } from '@jest/globals';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { ManifestError } from '../../contract/manifest-problems.ts';
import type { ManifestOptions, ManifestRow } from '../../inputs/manifest-options.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
import { RowsInMemory } from '../../inputs/rows-in-memory.ts';
import { readManifest, summarizeManifest, type ManifestSummary } from '../../inputs/read-manifest.ts';
import { manifestFile, OPTIONS } from './manifest-file.ts';

describe('openManifest', () => {
  const csv = (delimiter: string, bom = false): object => ({ format: 'csv', delimiter, bom });

  it.each([
    ['text,voice\n', 'a.csv', csv(',')],
    ['text;voice\n"a,b,c";v\n', 'a.csv', csv(';')],
    ['text;"my, own, long, name"\n', 'a.csv', csv(';')],
    ['text\tvoice, the best, of all\n', 'a.csv', csv('\t')],
    ['one\ttwo,three\n', 'a.tsv', csv('\t')],
    ['\uFEFFtext\tvoice\n', 'a.txt', csv('\t', true)],
    ['text\n', 'a.csv', csv(',')],
    ['{"text":"a"}\n', 'a.csv', { format: 'jsonl' }],
    ['', 'a.ndjson', { format: 'jsonl' }],
  ])('tells the format of %j in %s', async (content, name, format) => {
    expect((await openManifest(await manifestFile(content, name))).format).toEqual(format);
  });

  it('copies standard input to a private file for both passes, and removes it', async () => {
    const source = await openManifest('-', {}, Readable.from([Buffer.from('text,vo'), Buffer.from('ice\na,v\n')]));
    expect(source.label).toBe('standard input');
    expect((await stat(source.path)).mode & 0o777).toBe(0o600);
    for (let pass = 0; pass < 2; pass++) expect((await summarizeManifest(source, OPTIONS)).rows).toBe(1);
    await source.close();
    await source.close();
    await expect(access(source.path)).rejects.toThrow();
  });

  it('says what is wrong with a path that holds no manifest', async () => {
    const folder = dirname(await manifestFile(''));
    await expect(openManifest(folder)).rejects.toThrow(/is a folder. Nothing was spent/);
    const missing = openManifest(join(folder, 'no.csv'));
    await expect(missing).rejects.toThrow(ManifestError);
    await expect(missing).rejects.toThrow(/voxbatch init/);
  });

  it('leaves no copy behind when the stream breaks', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('the pipe broke')) });
    await expect(openManifest('-', {}, broken)).rejects.toThrow('the pipe broke');
  });
});

describe('the rows of a checked manifest', () => {
  async function rowsOf(
    source: ManifestSource,
    summary: ManifestSummary,
    options: ManifestOptions = OPTIONS,
  ): Promise<readonly ManifestRow[]> {
    const rows: ManifestRow[] = [];
    for await (const row of readManifest(source, options, summary)) rows.push(row);
    return rows;
  }

  it('are the same from memory as from the file, and those of the file that was checked', async () => {
    const path = await manifestFile('id,text,voice\na,One.,v\nb,Two.,w\n');
    const source = await openManifest(path);
    const summary = await summarizeManifest(source, OPTIONS);
    const again = await rowsOf(await openManifest(path), summary);
    expect(again.map(({ id }) => id)).toEqual(['a', 'b']);
    await writeFile(path, 'id,text,voice\na,Other.,v\n');
    expect(await rowsOf(source, summary)).toEqual(again);
  });

  it('are those of early lines, too, that lack later columns', async () => {
    const lines = '{"text":"One.","voice":"v"}\n{"text":"Two.","voice":"v","note":"n"}\n';
    const source = await openManifest(await manifestFile(lines));
    const summary = await summarizeManifest(source, OPTIONS);
    const rows = await rowsOf(source, summary);
    expect(rows.map(({ input }) => input.join())).toEqual(['One.,v,', 'Two.,v,n']);
    source.rows.drop();
    expect(await rowsOf(source, summary)).toEqual(rows);
  });

  it('are read again with other options', async () => {
    const source = await openManifest(await manifestFile('text\nOne.\n'));
    const spoken = (voice: string): ManifestOptions => ({ ...OPTIONS, defaults: { ...OPTIONS.defaults, voice } });
    const summary = await summarizeManifest(source, spoken('v'));
    expect(await rowsOf(source, summary, spoken('w'))).toMatchObject([{ spec: { voice: 'w' } }]);
  });

  it('are not kept of a manifest that is too large, or that was not read to its end', () => {
    const row = { input: ['x'.repeat(100)] } as unknown as ManifestRow;
    const rows = new RowsInMemory(3_000);
    const keep = (count: number, digest: string | null): void => {
      rows.begin(OPTIONS);
      for (let n = 0; n < count; n++) rows.add(row);
      expect(rows.find(OPTIONS, digest)).toBeUndefined();
      rows.end(digest);
    };
    keep(2, 'd');
    expect(rows.find(OPTIONS, 'd')).toHaveLength(2);
    expect(rows.find({ ...OPTIONS }, 'd')).toBeUndefined();
    keep(9, 'd');
    expect(rows.find(OPTIONS, 'd')).toBeUndefined();
    keep(1, null);
    expect(rows.find(OPTIONS, null)).toBeUndefined();
  });
});
