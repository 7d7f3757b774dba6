import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { ManifestOptions, ManifestRow } from '../../inputs/manifest-options.ts';
import { openManifest, type ManifestSource, RowsInMemory } from '../../inputs/manifest-source.ts';
import { readManifest, summarizeManifest, type ManifestSummary } from '../../inputs/read-manifest.ts';
import { OPTIONS, withManifest } from './manifest-file.ts';

async function rowsOf(
  source: ManifestSource,
  summary: ManifestSummary,
  options: ManifestOptions = OPTIONS,
): Promise<readonly ManifestRow[]> {
  const rows: ManifestRow[] = [];
  for await (const row of readManifest(source, options, summary)) rows.push(row);
  return rows;
}

describe('the rows of a checked manifest', () => {
  it('are the same from memory as from the file, and those of the file that was checked', async () => {
    await withManifest('id,text,voice\na,One.,v\nb,Two.,w\n', async (path) => {
      const source = await openManifest(path);
      const summary = await summarizeManifest(source, OPTIONS);
      const again = await rowsOf(await openManifest(path), summary);
      expect(again.map(({ id }) => id)).toEqual(['a', 'b']);
      await writeFile(path, 'id,text,voice\na,Other.,v\n');
      expect(await rowsOf(source, summary)).toEqual(again);
    });
  });

  it('are those of early lines, too, that lack later columns', async () => {
    const lines = '{"text":"One.","voice":"v"}\n{"text":"Two.","voice":"v","note":"n"}\n';
    await withManifest(lines, async (path) => {
      const source = await openManifest(path);
      const summary = await summarizeManifest(source, OPTIONS);
      const rows = await rowsOf(source, summary);
      expect(rows.map(({ input }) => input)).toEqual([
        ['One.', 'v', ''],
        ['Two.', 'v', 'n'],
      ]);
      source.rows.drop();
      expect(await rowsOf(source, summary)).toEqual(rows);
    });
  });

  it('are read again with other options', async () => {
    await withManifest('text\nOne.\n', async (path) => {
      const source = await openManifest(path);
      const spoken = (voice: string): ManifestOptions => ({ ...OPTIONS, defaults: { ...OPTIONS.defaults, voice } });
      const summary = await summarizeManifest(source, spoken('v'));
      expect(await rowsOf(source, summary, spoken('w'))).toMatchObject([{ spec: { voice: 'w' } }]);
    });
  });

  it('are not kept of a manifest that is too large, or that was not read to its end', () => {
    const row = { input: ['x'.repeat(100)] } as unknown as ManifestRow;
    const rows = new RowsInMemory(3_000);
    rows.begin(OPTIONS);
    for (let n = 0; n < 2; n++) rows.add(row);
    expect(rows.find(OPTIONS, 'd')).toBeUndefined();
    rows.end('d');
    expect(rows.find(OPTIONS, 'd')).toHaveLength(2);
    expect(rows.find({ ...OPTIONS }, 'd')).toBeUndefined();
    rows.begin(OPTIONS);
    for (let n = 0; n < 9; n++) rows.add(row);
    rows.end('d');
    expect(rows.find(OPTIONS, 'd')).toBeUndefined();
    rows.begin(OPTIONS);
    rows.add(row);
    rows.end(null);
    expect(rows.find(OPTIONS, null)).toBeUndefined();
  });
});
