import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/** Where a contestant is to run: in a folder with `rows.csv` and settings, and with an empty home of its own. */
export interface FreshFolder {
  readonly cwd: string;
  readonly rows: number;
  readonly env: NodeJS.ProcessEnv & { readonly VOXBATCH_HOME: string };
}

/** The manifest to write. `pollMs`: how often jobs are looked at. */
export interface BenchManifest {
  readonly rows: number;
  readonly pollMs: number;
  readonly textOf: (at: number) => string;
}

/** Runs something in a fresh folder, for which nothing is on record, and removes that folder. */
export async function inFreshFolder<T>(
  { rows, pollMs, textOf }: BenchManifest,
  run: (place: FreshFolder) => Promise<T>,
): Promise<T> {
  const cwd = await mkdtemp(join(tmpdir(), 'voxbatch-bench-'));
  try {
    const home = join(cwd, 'home');
    await mkdir(home);
    const lines = Array.from({ length: rows }, (_, at) => `r${at},"${textOf(at)}",narrator\n`);
    await writeFile(join(cwd, 'rows.csv'), `id,text,voice\n${lines.join('')}`);
    const polling = { firstLookMs: pollMs, gapMs: pollMs };
    await writeFile(join(cwd, 'voxbatch.config.json'), JSON.stringify({ polling }));
    return await run({ cwd, rows, env: { ...env, VOXBATCH_HOME: home } });
  } finally {
    await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
}
