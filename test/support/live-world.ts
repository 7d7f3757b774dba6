import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../simulator/start-simulator.ts';

/** How a command ended. */
export interface Ended {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text has appeared on stderr; rejects if the command ends before. */
  said(text: string | RegExp): Promise<void>;
}

const CLI = fileURLToPath(new URL('../../dist/starters/cli.js', import.meta.url));
const DYING_CLI = fileURLToPath(new URL('./dying-cli.mjs', import.meta.url));

/**
 * A folder of one's own with a simulator, for the compiled command line as a user runs it. Processes that are still there at
 * the end are killed, and that fails the test.
 */
export class LiveWorld {
  readonly folder: string;
  readonly simulator: Simulator;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children = new Set<ChildProcess>();

  private constructor(folder: string, simulator: Simulator) {
    this.folder = folder;
    this.simulator = simulator;
    this.#env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      VOXBATCH_TEMPORAL_CLI: process.env['VOXBATCH_TEMPORAL_CLI'],
      VOXBATCH_API_URL: simulator.url,
      VOXBATCH_API_TOKEN: simulator.token,
    };
  }

  static async create(options: SimulatorOptions = {}): Promise<LiveWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-live-'));
    return new LiveWorld(folder, await startSimulator(options));
  }

  /** Path of a file in the folder. */
  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  async write(name: string, text: string): Promise<string> {
    await writeFile(this.path(name), text);
    return name;
  }

  read(...parts: string[]): Promise<string> {
    return readFile(this.path(...parts), 'utf8');
  }

  /** Starts `voxbatch …`; `dieAt` makes it kill itself at a moment (`after-intent:3`). */
  start(args: readonly string[], options: { readonly env?: NodeJS.ProcessEnv; readonly dieAt?: string } = {}): Running {
    const entry = options.dieAt === undefined ? CLI : DYING_CLI;
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: this.folder,
      env: { ...this.#env, ...options.env, ...(options.dieAt === undefined ? {} : { DIE_AT: options.dieAt }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        this.#children.delete(child);
        resolve({ code, signal, stdout, stderr });
      });
    });
    const said = (text: string | RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof text === 'string' ? stderr.includes(text) : text.test(stderr)) resolve();
        };
        child.stderr.on('data', look);
        child.on('close', () => {
          reject(new Error(`the command ended before it said ${String(text)}; it said:\n${stderr}`));
        });
        look();
      });
    return { child, ended, said };
  }

  /** Runs `voxbatch …` to its end. */
  run(
    args: readonly string[],
    options: { readonly env?: NodeJS.ProcessEnv; readonly dieAt?: string } = {},
  ): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** The lines of the results, by id. */
  async results(batch: string): Promise<Map<string, Record<string, unknown>>> {
    const lines = (await this.read('out', batch, 'results.jsonl')).trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return new Map(rows.map((row) => [String(row['id']), row]));
  }

  /** Paid requests that the simulator took, by idempotency key: the only count of charges that a test may trust. */
  charges(): Map<string, number> {
    const counted = new Map<string, number>();
    for (const { idempotencyKey } of this.simulator.ledger()) {
      const key = idempotencyKey ?? 'none';
      counted.set(key, (counted.get(key) ?? 0) + 1);
    }
    return counted;
  }

  /** Keys that were charged more than once. */
  doubleCharges(): string[] {
    return [...this.charges()].filter(([, count]) => count > 1).map(([key]) => key);
  }

  /** Ends what is left; throws if a command was. */
  async close(): Promise<void> {
    const left = [...this.#children].filter((child) => child.exitCode === null && child.signalCode === null);
    for (const child of left) child.kill('SIGKILL');
    const server = await this.read('.voxbatch', 'server.json').catch(() => undefined);
    if (server !== undefined) {
      const { pid } = JSON.parse(server) as { pid: number };
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It had ended.
      }
    }
    await this.simulator.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    if (left.length > 0) throw new Error(`${String(left.length)} commands were still running at the end of the test.`);
  }
}

/** A manifest of `count` rows, kinds in turn, as a user might write it. */
export function mixedManifest(count: number, kinds: readonly string[] = ['tts', 'stt', 'lip-sync', 'dub']): string {
  const lines = ['id,kind,text,voice,audio,video'];
  for (let n = 1; n <= count; n++) {
    const kind = kinds[n % kinds.length] ?? 'tts';
    const id = `r${String(n)}`;
    const text = `Line number ${String(n)} of this batch.`;
    const audio = `https://media.example/voice-${String(n)}.mp3?seconds=2`;
    const video = `https://media.example/face-${String(n)}.mp4`;
    if (kind === 'tts') lines.push(`${id},tts,${text},narrator,,`);
    else if (kind === 'stt') lines.push(`${id},stt,,,${audio},`);
    else if (kind === 'lip-sync') lines.push(`${id},lip-sync,,,${audio},${video}`);
    else lines.push(`${id},dub,${text},narrator,,${video}`);
  }
  return `${lines.join('\n')}\n`;
}
