import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { encodeMp3 } from '../../../simulator/media/encode-mp3.ts';
import { sampleFolder, writeSample } from '../../support/samples.ts';
import { loadFile, OPTIONS } from '../manifest-file.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../../inputs/read-manifest.ts';
import type { ManifestOptions } from '../../../inputs/manifest-options.ts';

/** A manifest of voices with these cells in `samples`, in a folder with recordings of 20 s: a.wav to f.wav. */
async function manifestOf(...cells: readonly string[]): Promise<string> {
  const folder = await sampleFolder();
  for (const [at, letter] of ['a', 'b', 'c', 'd', 'e', 'f'].entries())
    await writeSample(folder, `${letter}.wav`, 20, at);
  const path = join(folder, 'voices.csv');
  const lines = cells.map((cell, at) => `Voice ${String(at + 1)},"${cell.replaceAll('"', '""')}"`);
  await writeFile(path, ['name,samples', ...lines, ''].join('\n'));
  return path;
}

async function problemsOf(path: string, options: Partial<ManifestOptions> = {}): Promise<readonly string[]> {
  const { problems } = await summarizeManifest(await openManifest(path), { ...OPTIONS, ...options });
  return problems.map(({ line, code, expected, got }) => `${String(line)} ${code}: ${expected}; got ${got}`);
}

describe('samples of a voice', () => {
  it('are found from the folder of the manifest, by a list or a JSON array, and known by their content', async () => {
    const path = await manifestOf('a.wav | b.wav', '["c.wav"]');
    const { rows, summary } = await loadFile(path);
    expect(summary.kinds.voice).toMatchObject({ rows: 2, requests: 2, quoted: 4_000 });
    const [anna, ben] = rows.map(({ spec }) => spec.samples ?? []);
    expect(anna?.map(({ path: file, extension, seconds }) => [file, extension, Math.round(seconds)])).toEqual([
      [join(path, '../a.wav'), 'wav', 20],
      [join(path, '../b.wav'), 'wav', 20],
    ]);
    expect(ben).toHaveLength(1);
    expect(new Set([...(anna ?? []), ...(ben ?? [])].map(({ sha256 }) => sha256)).size).toBe(3);
  });

  it('are read anew when they change between two readings', async () => {
    const path = await manifestOf('a.wav');
    const [before] = (await loadFile(path)).rows;
    await writeSample(join(path, '..'), 'a.wav', 21, 9);
    const [after] = (await loadFile(path)).rows;
    expect(after?.spec.samples?.[0]?.sha256).not.toBe(before?.spec.samples?.[0]?.sha256);
  });

  it('are refused, each with its reason, before anything is paid for', async () => {
    const path = await manifestOf(
      'none.wav',
      'a.wav|folder',
      'text.wav|empty.wav',
      'a.wav|b.wav|c.wav|d.wav',
      'a.wav|a.wav',
      'large.wav',
      '1|2|3|4|5|6',
    );
    const folder = join(path, '..');
    await mkdir(join(folder, 'folder'));
    await writeFile(join(folder, 'text.wav'), 'no recording at all, whatever its name says');
    await writeFile(join(folder, 'empty.wav'), '');
    await writeFile(join(folder, 'large.wav'), Buffer.alloc(4_500_001));
    const recording = 'a recording (wav, mp3, m4a, ogg, flac) of 4.5 MB at most (setting samples.bytes)';
    expect(await problemsOf(path)).toEqual([
      `2 bad-sample: ${recording}; got none.wav: no such file`,
      `3 bad-sample: ${recording}; got folder: something that is no file`,
      `4 bad-sample: ${recording}; got text.wav: a file whose content is none of these`,
      `4 bad-sample: ${recording}; got empty.wav: an empty file`,
      '5 bad-sample: 60 s of recordings at most (setting samples.seconds); got 80.0 s',
      expect.stringMatching(/^6 bad-sample: recordings that differ; got ".*a\.wav" twice$/),
      `7 bad-sample: ${recording}; got large.wav: a file of 4.5 MB`,
      '8 bad-sample: 5 files at most (setting samples.files); got 6 files',
    ]);
  });

  it('are as many, as large and as long as the settings say', async () => {
    const path = await manifestOf('a.wav|b.wav|c.wav|d.wav|e.wav|f.wav');
    expect(await problemsOf(path, { samples: { files: 6, bytes: 4_500_000, seconds: 120.5 } })).toEqual([]);
    expect(await problemsOf(path, { samples: { files: 6, bytes: 1_000, seconds: 120.5 } })).toHaveLength(6);
  });

  it('are what their content is, not what their name says', async () => {
    const path = await manifestOf('a.mp3.wav');
    await writeFile(join(path, '../a.mp3.wav'), encodeMp3([10], 2));
    const [row] = (await loadFile(path)).rows;
    expect(row?.spec.samples?.[0]?.extension).toBe('mp3');
  });
});
