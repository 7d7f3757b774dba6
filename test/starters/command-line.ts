import { buffer } from 'node:stream/consumers';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../starters/main.ts';
import type { Output } from '../../starters/terminal/output.ts';

/** How a command line ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const SETTINGS = /^(VOXBATCH|TEMPORAL)_|^XDG_STATE_HOME$/;

/** A folder of one's own as working directory, with none of our settings from outside. */
export interface CommandLine {
  readonly folder: string;
  /** Runs a command line in this process, as its `cli.ts` would. */
  run(...args: string[]): Promise<Ended>;
  /** Runs a command that prints one line of JSON. */
  json(...args: string[]): Promise<{ readonly code: number; readonly value: Record<string, unknown> }>;
  /** Gives working directory and environment back. */
  close(): Promise<void>;
}

export async function openCommandLine(env: Readonly<Record<string, string>> = {}): Promise<CommandLine> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-starters-')));
  const before = { cwd: process.cwd(), env: { ...process.env } };
  for (const name of Object.keys(process.env)) if (SETTINGS.test(name)) Reflect.deleteProperty(process.env, name);
  // What it confirms is none of the user's own.
  Object.assign(process.env, { XDG_STATE_HOME: join(folder, '.state') }, env);
  process.chdir(folder);
  return {
    folder,
    run,
    json,
    close: async () => {
      process.chdir(before.cwd);
      for (const name of Object.keys(process.env)) if (SETTINGS.test(name)) Reflect.deleteProperty(process.env, name);
      Object.assign(process.env, before.env);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command line in this process, as its `cli.ts` would. */
export async function run(...args: string[]): Promise<Ended> {
  const lines = { out: '', err: '' };
  const code = await main(args, { output: capture(lines) });
  if (args.includes('--json')) (await import('../support/published-views.ts')).requirePublished(args, lines.out);
  return { code, stdout: lines.out, stderr: lines.err };
}

/** Runs a command that prints one line of JSON. */
export async function json(
  ...args: string[]
): Promise<{ readonly code: number; readonly value: Record<string, unknown> }> {
  const { code, stdout } = await run(...args);
  return { code, value: JSON.parse(stdout) as Record<string, unknown> };
}

/** An output that is no terminal and keeps what is written. */
export function capture(lines: { out: string; err: string }): Output {
  return {
    data: (line) => {
      lines.out += `${line}\n`;
    },
    bytes: async (body) => {
      lines.out += (await buffer(body)).toString('utf8');
    },
    say: (line) => {
      lines.err += `${line}\n`;
    },
    isTerminal: false,
    isInteractive: false,
    hasColour: false,
  };
}
