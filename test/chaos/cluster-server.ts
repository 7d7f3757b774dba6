import { findServer } from '../../embedded/find-server.ts';
import { makeHome, type HomePaths } from '../../embedded/home.ts';
import type { ServerBinary } from '../../embedded/server-binary.ts';
import { startServer } from '../../embedded/start-server.ts';
import { isServerProcess } from '../../embedded/server-record.ts';
import { waitFor } from '../support/wait-for.ts';
import type { KillableServer } from './killable-server.ts';
import { freePort } from '../support/free-port.ts';

/**
 * A Temporal server of the run's own, as a cluster is for voxbatch, with the very settings that the embedded server has
 * (commits are synced). It keeps its port over restarts.
 */
export class ClusterServer implements KillableServer {
  readonly port: number;
  readonly #paths: HomePaths;
  readonly #binary: ServerBinary;
  #pid: number | undefined;

  private constructor(paths: HomePaths, binary: ServerBinary, port: number) {
    this.#paths = paths;
    this.#binary = binary;
    this.port = port;
  }

  /** Starts it with its database in a folder, and waits until it can be used. */
  static async start(folder: string, say: (line: string) => void): Promise<ClusterServer> {
    const binary = await findServer({ env: process.env, say });
    const server = new ClusterServer(makeHome(folder), binary, await freePort());
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    if (this.isUp) return;
    const options = { env: process.env, wantedPort: this.port, samePort: true };
    this.#pid = (await startServer(this.#paths, this.#binary, options)).pid;
  }

  get isUp(): boolean {
    return this.#pid !== undefined && isServerProcess(this.#paths, this.#pid);
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const pid = this.#pid;
    if (pid === undefined || !this.isUp) return;
    process.kill(pid, 'SIGKILL');
    await waitFor(() => !this.isUp);
  }
}
