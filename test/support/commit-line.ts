import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** Just before a commit reaches the server, or just after the server has committed, before its answer comes back. */
export type CutMoment = 'before' | 'after';

/** A line to a PostgreSQL server that is cut right at commits. */
export class CommitLine {
  /** Of 127.0.0.1, where the line begins. */
  readonly port: number;
  readonly #server: Server;
  readonly #open: ReadonlySet<Socket>;

  private constructor(server: Server, open: ReadonlySet<Socket>) {
    this.#server = server;
    this.#open = open;
    this.port = (server.address() as AddressInfo).port;
  }

  /** `next` is asked at each commit whether, and when, its connection is to be cut. */
  static async open(url: string, next: () => CutMoment | undefined): Promise<CommitLine> {
    const { hostname, port } = new URL(url);
    const open = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      const cut = (): void => {
        client.destroy();
        upstream.destroy();
      };
      for (const socket of [client, upstream]) {
        open.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          open.delete(socket);
          cut();
        });
      }
      let isDoomed = false;
      client.on('data', (data) => {
        const moment = data.includes('commit\0') ? next() : undefined;
        if (moment === 'before') {
          cut();
          return;
        }
        isDoomed ||= moment === 'after';
        upstream.write(data);
      });
      upstream.on('data', (data) => {
        if (isDoomed && data.includes('COMMIT\0')) cut();
        else client.write(data);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CommitLine(server, open);
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
