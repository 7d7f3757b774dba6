import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { readPage } from '../docs/pages.ts';
import { freePort } from './free-port.ts';

const CLI = fileURLToPath(new URL('../../dist/starters/cli.js', import.meta.url));

/** The commands of a guide's walk, in order. */
export interface GuideWalk {
  /** Of the guide, such as `docs/guide/moving.md`. */
  readonly page: string;
  /** Has the words of the heading that the walk stands below. */
  readonly heading: string;
  /** Ends what the walk has started, and waits for it. */
  readonly end: string;
}

/** What a walk said, and what its simulator was asked to pay for. */
export interface WalkEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly paid: readonly LedgerEntry[];
}

/**
 * Follows a walk in a folder, with the guide's very commands and the compiled `voxbatch`. Rejects if a command fails.
 */
export async function followWalk(
  folder: string,
  { page, heading, end }: GuideWalk,
  env: NodeJS.ProcessEnv = {},
): Promise<WalkEnd> {
  const ledger = join(folder, 'paid.json');
  const lines = ['set -e', commandsOf(page, heading), `curl -s http://127.0.0.1:8080/__simulator/ledger > '${ledger}'`];
  const { stdout, stderr } = await runScript(folder, [...lines, end, 'wait'], env);
  return { stdout, stderr, paid: JSON.parse(await readFile(ledger, 'utf8')) as LedgerEntry[] };
}

/**
 * Runs lines of bash in a folder, with the compiled `voxbatch`. The guide's ports, of its simulator, webhooks and metrics, may be taken here, so
 * others stand for them. Rejects unless the last line succeeds.
 */
export async function runScript(
  folder: string,
  lines: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'voxbatch'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  await chmod(join(bin, 'voxbatch'), 0o755);
  let script = [...lines, ''].join('\n');
  for (const port of ['8080', '8765', '9464']) script = script.replaceAll(port, String(await freePort()));
  await writeFile(join(folder, 'walk.sh'), script);
  const { VOXBATCH_TEMPORAL_CLI, HOME, PATH = '' } = process.env;
  return promisify(execFile)('bash', ['walk.sh'], {
    cwd: folder,
    env: { VOXBATCH_TEMPORAL_CLI, HOME, ...env, PATH: `${bin}:${PATH}` },
  });
}

function commandsOf(page: string, heading: string): string {
  const [, section = ''] = readPage(page).split(`## ${heading}\n`);
  const blocks = (section.split(/^## /m)[0] ?? '').matchAll(/^```sh\n(.*?)^```/gms);
  return [...blocks].map(([, commands = '']) => commands).join('');
}
