import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inTerminalWindow } from './terminal-window.ts';

/** How a command ended. */
export interface Ended {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is started. */
export interface StartOptions {
  /** Over the world's own settings; `undefined` takes one away. */
  readonly env?: NodeJS.ProcessEnv;
  /** Folder of the world that it works in; default the world's own. */
  readonly folder?: string;
  /** Makes it kill itself at a moment (`after-intent:3`). */
  readonly dieAt?: string;
  /** What comes through its stdin; default nothing. */
  readonly input?: string | Buffer;
  /** No file that it writes, or a child of it, may grow beyond this, in bytes: a full disk that needs no rights. */
  readonly largestFile?: number;
  /** See {@link inTerminalWindow}. */
  readonly inWindow?: boolean;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text has appeared on stderr; rejects if the command ends before. */
  said(text: string | RegExp): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM to one that then ends in order, with 0. */
  endInOrder(): Promise<void>;
}

const CLI = fileURLToPath(new URL('../../dist/starters/cli.js', import.meta.url));
const DYING_CLI = fileURLToPath(new URL('./dying-cli.mjs', import.meta.url));

/** Starts `voxbatch …` in a folder, with an environment below that of the options. */
export function startCommand(
  args: readonly string[],
  options: StartOptions,
  place: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Running {
  const { dieAt, env, input, largestFile } = options;
  const node = [process.execPath, dieAt === undefined ? CLI : DYING_CLI, ...args];
  // In POSIX, `ulimit -f` counts blocks of 512 bytes.
  const limited = ['/bin/sh', '-c', `ulimit -f ${String(Math.ceil((largestFile ?? 0) / 512))} && exec "$@"`, 'sh'];
  const command = largestFile === undefined ? node : [...limited, ...node];
  const [file = '', ...rest] = options.inWindow === true ? inTerminalWindow(command) : command;
  const child = spawn(file, rest, {
    cwd: place.folder,
    env: { ...place.env, ...env, ...(dieAt === undefined ? {} : { DIE_AT: dieAt }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that does not use its stdin may end before all is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const note = noteCommand(args, () => stderr);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      Object.assign(note, { code, signal });
      resolve({ code, signal, stdout, stderr });
    });
  });
  const said = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (typeof text === 'string' ? stderr.includes(text) : text.test(stderr)) resolve();
      };
      child.stderr.on('data', look);
      look();
      // Also if it has ended already.
      void ended.then(() => {
        reject(new Error(`the command ended before it said ${String(text)}; it said:\n${stderr}`));
      }, reject);
    });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const endInOrder = async (): Promise<void> => {
    child.kill('SIGTERM');
    const { code } = await ended;
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}`);
  };
  return { child, ended, said, kill, endInOrder };
}

/** A command, for the error of a test that fails (`test/live-environment.mjs`). Without a code while it runs. */
interface NotedCommand {
  readonly args: readonly string[];
  readonly stderr: string;
}

function noteCommand(args: readonly string[], words: () => string): NotedCommand {
  const world = globalThis as { voxbatchCommands?: NotedCommand[] };
  const note = {
    args,
    get stderr() {
      return words();
    },
  };
  // `status` is asked again and again, and says little.
  if (args[0] !== 'status') (world.voxbatchCommands ??= []).push(note);
  return note;
}
