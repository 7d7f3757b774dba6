import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../support/wait-for.ts';
import { atExit } from './at-exit.ts';
import { freePort } from '../support/free-port.ts';

/** The release of Toxiproxy, a TCP proxy that breaks connections as told, that is built where there is none. */
const VERSION = 'v2.12.0';
const MODULE = `github.com/Shopify/toxiproxy/v2/cmd/server@${VERSION}`;

/** A fault of a connection, as Toxiproxy's documentation names and describes it; `down` refuses and cuts connections. */
export type Toxic =
  | { readonly type: 'down' }
  | {
      readonly type: 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'reset_peer' | 'limit_data';
      readonly stream: 'upstream' | 'downstream';
      /** Milliseconds, except `rate` (KB/s) and `bytes`. */
      readonly attributes: Readonly<Record<string, number>>;
    };

/**
 * Finds the server of Toxiproxy: `VOXBATCH_TOXIPROXY`, else what an earlier run left in our cache, else builds it there with Go,
 * which takes seconds.
 */
export async function findToxiproxy(say: (line: string) => void): Promise<string> {
  const named = process.env['VOXBATCH_TOXIPROXY'];
  if (named !== undefined && named !== '') return named;
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'voxbatch', `toxiproxy-${VERSION}`);
  const binary = join(cache, 'toxiproxy-server');
  if (existsSync(binary)) return binary;
  say(`Building Toxiproxy ${VERSION} with Go, once, into ${cache} …`);
  await mkdir(cache, { recursive: true });
  try {
    await promisify(execFile)('go', ['install', MODULE], { env: { ...process.env, GOBIN: cache } });
  } catch (error) {
    throw new Error(
      `Toxiproxy is not there and cannot be built: ${error instanceof Error ? error.message : String(error)}. ` +
        'Install Go, or set VOXBATCH_TOXIPROXY to the executable of its server.',
      { cause: error },
    );
  }
  await rename(join(cache, 'server'), binary);
  return binary;
}

/** A running Toxiproxy with links between named ends, driven over its HTTP API. */
export class Toxiproxy {
  readonly #child: ChildProcess;
  readonly #control: string;
  #toxics = 0;

  private constructor(child: ChildProcess, control: string) {
    this.#child = child;
    this.#control = control;
  }

  static async start(binary: string): Promise<Toxiproxy> {
    const port = await freePort();
    const child = spawn(binary, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' });
    atExit(() => child.kill('SIGKILL'));
    const proxy = new Toxiproxy(child, `http://127.0.0.1:${port}`);
    await waitFor(() =>
      fetch(`${proxy.#control}/version`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return proxy;
  }

  /** Opens a link to `host:port`; returns the port of 127.0.0.1 where it begins. */
  async link(name: string, upstream: string): Promise<number> {
    const port = await freePort();
    await this.#ask('POST', '/proxies', { name, listen: `127.0.0.1:${port}`, upstream, enabled: true });
    return port;
  }

  /** Puts a fault on a link; returns what takes it off again. */
  async spoil(link: string, toxic: Toxic): Promise<() => Promise<void>> {
    if (toxic.type === 'down') {
      await this.#enable(link, false);
      return () => this.#enable(link, true);
    }
    const name = `toxic-${++this.#toxics}`;
    await this.#ask('POST', `/proxies/${link}/toxics`, { name, ...toxic, toxicity: 1 });
    return () => this.#ask('DELETE', `/proxies/${link}/toxics/${name}`);
  }

  /** Takes every fault off every link. */
  async heal(): Promise<void> {
    await this.#ask('POST', '/reset');
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  #enable(link: string, enabled: boolean): Promise<void> {
    return this.#ask('PATCH', `/proxies/${link}`, { enabled });
  }

  async #ask(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(this.#control + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`Toxiproxy: ${method} ${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}
