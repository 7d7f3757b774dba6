import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/** A temporary folder for a run, with `rows.csv`, a config file and an empty home. */
export interface FreshFolder {
  /** Path of the folder. */
  readonly cwd: string;
  readonly rows: number;
  /** Environment variables for the run. */
  readonly env: NodeJS.ProcessEnv & { readonly VOXBATCH_HOME: string };
}

/** What to write to the folder. `pollMs`: how often jobs are polled. `textOf`: the text of a row, from 0. */
export interface BenchManifest {
  readonly rows: number;
  readonly pollMs: number;
  readonly textOf: (at: number) => string;
}

/** Creates a temporary folder, calls `run` with it, and removes it. */
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
