import { describe, expect, it } from '@jest/globals';
import { access, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openManifest } from '../../inputs/manifest-source.ts';
import { ManifestError } from '../../contract/manifest-problems.ts';
import { summarizeManifest } from '../../inputs/read-manifest.ts';
import { OPTIONS, withManifest } from './manifest-file.ts';

describe('openManifest', () => {
  it.each([
    ['text,voice\n', 'a.csv', { format: 'csv', delimiter: ',', bom: false }],
    ['text;voice\n"a,b,c";v\n', 'a.csv', { format: 'csv', delimiter: ';', bom: false }],
    ['text;"my, own, long, name"\n', 'a.csv', { format: 'csv', delimiter: ';', bom: false }],
    ['text\tvoice, the best, of all\n', 'a.csv', { format: 'csv', delimiter: '\t', bom: false }],
    ['one\ttwo,three\n', 'a.tsv', { format: 'csv', delimiter: '\t', bom: false }],
    ['\uFEFFtext\tvoice\n', 'a.txt', { format: 'csv', delimiter: '\t', bom: true }],
    ['text\n', 'a.csv', { format: 'csv', delimiter: ',', bom: false }],
    ['{"text":"a"}\n', 'a.csv', { format: 'jsonl' }],
    ['', 'a.ndjson', { format: 'jsonl' }],
  ])('tells the format of %j in %s', async (content, name, format) => {
    await withManifest(
      content,
      async (path) => {
        expect((await openManifest(path)).format).toEqual(format);
      },
      name,
    );
  });

  it('copies standard input to a private file for both passes, and removes it', async () => {
    const source = await openManifest('-', Readable.from([Buffer.from('text,vo'), Buffer.from('ice\na,v\n')]));
    expect(source.label).toBe('standard input');
    expect((await stat(source.path)).mode & 0o777).toBe(0o600);
    expect((await summarizeManifest(source, OPTIONS)).rows).toBe(1);
    expect((await summarizeManifest(source, OPTIONS)).rows).toBe(1);
    await source.close();
    await source.close();
    await expect(access(source.path)).rejects.toThrow();
  });

  it('says what is wrong with a path that holds no manifest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-test-'));
    await expect(openManifest(folder)).rejects.toThrow(/is a folder. Nothing was spent/);
    await expect(openManifest(join(folder, 'no.csv'))).rejects.toThrow(ManifestError);
    await expect(openManifest(join(folder, 'no.csv'))).rejects.toThrow(/voxbatch init/);
    await rm(folder, { recursive: true });
  });

  it('leaves no copy behind when the stream breaks', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('the pipe broke'));
      },
    });
    await expect(openManifest('-', broken)).rejects.toThrow('the pipe broke');
  });
});
