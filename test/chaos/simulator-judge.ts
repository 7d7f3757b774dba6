import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LedgerEntry, SimulatorOptions } from '../../simulator/start-simulator.ts';
import type { StatisticsReport } from '../../simulator/statistics.ts';
import type { SimulatorMessage } from './simulator-process.ts';

const PROCESS = fileURLToPath(new URL('./simulator-process.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('./run-typescript.mjs', import.meta.url));

/**
 * The simulator in its own process. Its ledger of charges is the judge of every run. It lives in memory, so nobody kills it
 * before the verdict.
 */
export class SimulatorJudge {
  readonly #child: ChildProcess;
  readonly #url: string;
  #charged = 0;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /**
   * Starts it. `frontOf` is given the port of results and samples, and returns the origin that links shall name.
   */
  static async start(
    options: SimulatorOptions,
    frontOf: (mediaPort: number) => Promise<string> | string,
  ): Promise<SimulatorJudge> {
    const child = fork(PROCESS, [], {
      execArgv: ['--import', LOADER, '--enable-source-maps'],
      env: { ...process.env, CHAOS_SIMULATOR: JSON.stringify(options) },
    });
    const [media] = (await once(child, 'message')) as [{ readonly mediaPort: number }];
    const ready = once(child, 'message');
    child.send(await frontOf(media.mediaPort));
    const [{ url }] = (await ready) as [{ readonly url: string }];
    const judge = new SimulatorJudge(child, url);
    child.on('message', (message: SimulatorMessage) => {
      if ('charged' in message) judge.#charged = message.charged;
    });
    return judge;
  }

  /** Base URL of the API, not through any proxy. */
  get url(): string {
    return this.#url;
  }

  /** Paid requests taken so far, at most 0.1 s old. */
  get charged(): number {
    return this.#charged;
  }

  /** Every accepted paid request so far. */
  ledger(): Promise<LedgerEntry[]> {
    return this.#ask('ledger') as Promise<LedgerEntry[]>;
  }

  statistics(): Promise<StatisticsReport> {
    return this.#ask('stats') as Promise<StatisticsReport>;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #ask(what: string): Promise<unknown> {
    const answer = await fetch(new URL(`/__simulator/${what}`, this.#url), { headers: { connection: 'close' } });
    return answer.json();
  }
}
