import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { ManifestOptions, ManifestRow } from '../../inputs/manifest-options.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import { readManifest, summarizeManifest } from '../../inputs/read-manifest.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';

export const OPTIONS: ManifestOptions = {
  defaults: {},
  map: {},
  strict: false,
  nameTemplate: '{id}.{ext}',
  prices: BUILT_IN_PRICES,
  tts: 'job',
};

/** Runs `use` on a manifest file of this content, and removes the file. */
export async function withManifest<T>(
  content: string | Buffer,
  use: (path: string) => Promise<T>,
  name = 'lines.csv',
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-test-'));
  try {
    const path = join(folder, name);
    await writeFile(path, content);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function check(
  content: string | Buffer,
  options: Partial<ManifestOptions> = {},
  name = 'lines.csv',
): Promise<ManifestSummary> {
  return await withManifest(
    content,
    async (path) => await summarizeManifest(await openManifest(path), { ...OPTIONS, ...options }),
    name,
  );
}

/** Checks the manifest, then reads its rows. Fails on any problem. */
export async function load(
  content: string | Buffer,
  options: Partial<ManifestOptions> = {},
  name = 'lines.csv',
): Promise<{ summary: ManifestSummary; rows: ManifestRow[] }> {
  return await withManifest(content, (path) => loadFile(path, options), name);
}

export async function loadFile(
  path: string,
  options: Partial<ManifestOptions> = {},
): Promise<{ summary: ManifestSummary; rows: ManifestRow[] }> {
  const source = await openManifest(path);
  const all = { ...OPTIONS, ...options };
  const summary = await summarizeManifest(source, all);
  if (summary.problems.length > 0) throw new Error(JSON.stringify(summary.problems));
  const rows: ManifestRow[] = [];
  for await (const row of readManifest(source, all, summary)) rows.push(row);
  return { summary, rows };
}
