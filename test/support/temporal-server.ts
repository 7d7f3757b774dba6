import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { probeServer } from '../../embedded/server-health.ts';
import { endAfterTest } from './end-after-test.ts';
import { freePort } from './free-port.ts';
import type { TemporalPlace, TestTemporal } from './temporal-place.ts';
import { waitFor } from './wait-for.ts';

/** Name of the database of a server that is given none. */
export const CLUSTER_DATABASE = 'cluster.db';

/** How often a server is started that ends before it answers. */
const START_TRIES = 3;

/** A client, connected until the test is over. */
export async function connectTo({ address, namespace }: TemporalPlace): Promise<Client> {
  const connection = await Connection.connect({ address });
  endAfterTest(() => connection.close());
  return new Client({ connection, namespace });
}

/** A Temporal server of the test's own, as a cluster is for voxbatch: started by somebody else, reached by its address. */
export class TemporalServer implements TestTemporal {
  readonly address: string;
  readonly namespace = 'default';
  readonly #folder: string;
  readonly #database: string;
  readonly #port: number;
  #child: ChildProcess;

  private constructor(folder: string, database: string, port: number) {
    this.#folder = folder;
    this.#database = database;
    this.#port = port;
    this.address = `127.0.0.1:${String(port)}`;
    this.#child = this.#spawn();
  }

  /** Starts it with its database in a folder until the test is over, and waits until it answers. */
  static async start(folder: string, database = CLUSTER_DATABASE): Promise<TemporalServer> {
    for (let tries = 1; ; tries++) {
      const server = new TemporalServer(folder, database, await freePort());
      endAfterTest(() => server.kill());
      try {
        await server.#untilReady();
        return server;
      } catch (error) {
        // It has several ports, which others may take before it does.
        if (tries === START_TRIES) throw error;
        await server.kill();
      }
    }
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Starts it again, on the same port and database. */
  async restart(): Promise<void> {
    this.#child = this.#spawn();
    await this.#untilReady();
  }

  async forget(): Promise<void> {
    await this.kill();
    await rm(join(this.#folder, this.#database));
  }

  #spawn(): ChildProcess {
    const cli = process.env['VOXBATCH_TEMPORAL_CLI'] ?? 'temporal';
    const database = join(this.#folder, this.#database);
    const args = ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(this.#port)];
    return spawn(cli, [...args, '--db-filename', database, '--log-level', 'error'], {
      cwd: this.#folder,
      stdio: 'ignore',
    });
  }

  async #untilReady(): Promise<void> {
    await waitFor(async () => {
      if (this.#child.exitCode !== null) throw new Error('The Temporal server ended before it answered.');
      return typeof (await probeServer(this.address, 1_000)) !== 'string';
    });
  }
}
