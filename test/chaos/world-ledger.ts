import { join } from 'node:path';
import { openLedger as openRecords } from '../../ledger/open-ledger.ts';
import { startPostgres, type PostgresServer } from '../postgres-server.mjs';
import { openCommitLine, type CutMoment } from '../support/commit-line.ts';
import type { Line } from '../support/line.ts';
import { waitFor } from '../support/wait-for.ts';
import { atExit } from './at-exit.ts';
import type { KillableServer } from './killable-server.ts';
import type { Toxiproxy } from './toxiproxy.ts';
import { WHO, type Who } from './who.ts';

/** Which database a world keeps its ledger in. */
export const LEDGERS = ['sqlite', 'postgres'] as const;
export type LedgerKind = (typeof LEDGERS)[number];

/** The ledger of a world. */
export interface WorldLedger {
  /** Its address, not through any proxy. */
  readonly address: string;
  /** Its address for somebody. */
  addressFor(who: Who): string;
  /** Its server; undefined for a file. */
  readonly server: DatabaseServer | undefined;
  /** Folder of its files outside the world's; undefined if there is none. */
  readonly folder: string | undefined;
  /** Ends the server, and removes its files unless they are to be kept. */
  close(keep: boolean): Promise<void>;
}

/** Makes the ledger of a world in this folder. */
export async function openLedger(kind: LedgerKind, folder: string, proxy: Toxiproxy): Promise<WorldLedger> {
  if (kind === 'postgres') return DatabaseServer.start(proxy);
  const address = join(folder, 'ledger.db');
  return { address, addressFor: () => address, server: undefined, folder: undefined, close: () => Promise.resolve() };
}

/** A PostgreSQL server with the ledger, a link to it for each who uses it, and a line that can be cut at commits. */
export class DatabaseServer implements WorldLedger, KillableServer {
  readonly #server: PostgresServer;
  readonly #line: Line;
  readonly #ports: ReadonlyMap<Who, number>;
  /** Cuts that are due at the next commits. */
  readonly #due: CutMoment[];

  private constructor(server: PostgresServer, line: Line, ports: ReadonlyMap<Who, number>, due: CutMoment[]) {
    this.#server = server;
    this.#line = line;
    this.#ports = ports;
    this.#due = due;
  }

  static async start(proxy: Toxiproxy): Promise<DatabaseServer> {
    const server = await startPostgres();
    atExit(() => {
      server.kill();
    });
    await (await openRecords(server.url, { makesTables: true })).close();
    const due: CutMoment[] = [];
    const line = await openCommitLine(server.url, () => due.shift());
    const ports = new Map<Who, number>();
    for (const who of WHO) ports.set(who, await proxy.link(`ledger-${who}`, `127.0.0.1:${line.port}`));
    return new DatabaseServer(server, line, ports, due);
  }

  get address(): string {
    return this.#server.url;
  }

  addressFor(who: Who): string {
    const url = new URL(this.address);
    url.port = String(this.#ports.get(who));
    return url.href;
  }

  get server(): this {
    return this;
  }

  get folder(): string {
    return this.#server.data;
  }

  /** SIGKILL of all its processes. */
  kill(): Promise<void> {
    this.#server.kill();
    return Promise.resolve();
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  /** Cuts the connections of the next so many commits; resolves with how many it were within `limitMs`. */
  async cutCommits(moment: CutMoment, count: number, limitMs: number): Promise<number> {
    this.#due.push(...Array<CutMoment>(count).fill(moment));
    await waitFor(() => this.#due.length === 0, limitMs).catch(() => undefined);
    return count - this.#due.splice(0).length;
  }

  async close(keep: boolean): Promise<void> {
    await this.#line.close();
    if (keep) this.#server.kill();
    else this.#server.stop();
  }
}
