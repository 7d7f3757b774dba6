import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { endAfterTest } from './end-after-test.ts';

/** How often the line is to be cut, and how often it was, by moment. */
export interface Cuts {
  readonly every: number;
  readonly most: number;
  before: number;
  after: number;
}

/**
 * A line to a PostgreSQL server that is cut right at commits: in turn just before the commit reaches the server, and just after the server
 * has committed, before its answer comes back. Returns the address of the ledger over this line.
 */
export async function cutAtCommits(url: string, cuts: Cuts): Promise<string> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let commits = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
    }
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    let isDoomed = false;
    client.on('data', (data) => {
      const isDue = data.includes('commit\0') && ++commits % cuts.every === 0 && cuts.before + cuts.after < cuts.most;
      if (isDue && cuts.before <= cuts.after) {
        cuts.before += 1;
        cut();
        return;
      }
      if (isDue) {
        cuts.after += 1;
        isDoomed = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isDoomed && data.includes('COMMIT\0')) cut();
      else client.write(data);
    });
    client.on('end', cut);
    upstream.on('end', cut);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endAfterTest(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return through.href;
}
