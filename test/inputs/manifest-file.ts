import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { ManifestOptions, ManifestRow } from '../../inputs/manifest-options.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import { readManifest, summarizeManifest } from '../../inputs/read-manifest.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import { freshFolder } from '../support/fresh-folder.ts';

export const OPTIONS: ManifestOptions = {
  defaults: {},
  map: {},
  strict: false,
  nameTemplate: '{id}.{ext}',
  prices: BUILT_IN_PRICES,
  tts: 'job',
};

/** A manifest file of this content. */
export async function manifestFile(content: string | Buffer, name = 'lines.csv'): Promise<string> {
  const path = join(freshFolder(), name);
  await writeFile(path, content);
  return path;
}

/** Runs `use` on a manifest file of this content. */
export async function withManifest<T>(
  content: string | Buffer,
  use: (path: string) => Promise<T>,
  name?: string,
): Promise<T> {
  return use(await manifestFile(content, name));
}

export async function check(
  content: string | Buffer,
  options: Partial<ManifestOptions> = {},
  name?: string,
): Promise<ManifestSummary> {
  return summarizeManifest(await openManifest(await manifestFile(content, name)), { ...OPTIONS, ...options });
}

/** Line, column if it is of one, and code of every problem; each says in few words what is wrong. */
export async function problemsIn(...manifest: Parameters<typeof check>): Promise<readonly string[]> {
  const { problems } = await check(...manifest);
  for (const { expected, got } of problems) {
    expect([expected, got]).not.toContain('');
    expect(got.length).toBeLessThan(250);
  }
  return problems.map(({ line, column, code }) => [line, column, code].filter((one) => one !== '').join(' '));
}

/** Checks the manifest, then reads its rows. Fails on any problem. */
export async function load(
  content: string | Buffer,
  options: Partial<ManifestOptions> = {},
  name?: string,
): Promise<{ summary: ManifestSummary; rows: ManifestRow[] }> {
  return loadFile(await manifestFile(content, name), options);
}

export async function loadFile(
  path: string,
  options: Partial<ManifestOptions> = {},
): Promise<{ summary: ManifestSummary; rows: ManifestRow[] }> {
  const source = await openManifest(path);
  try {
    const all = { ...OPTIONS, ...options };
    const summary = await summarizeManifest(source, all);
    if (summary.problems.length > 0) throw new Error(JSON.stringify(summary.problems));
    const rows: ManifestRow[] = [];
    for await (const row of readManifest(source, all, summary)) rows.push(row);
    return { summary, rows };
  } finally {
    await source.close();
  }
}
