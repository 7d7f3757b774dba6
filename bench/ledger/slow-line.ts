import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** A TCP proxy to a database server that adds latency. */
export interface SlowLine {
  /** URL of the database through the proxy. */
  readonly url: string;
  /**
   * Returns how often a client has sent something after an answer, or a part of one, came: an upper bound of the round
   * trips so far.
   */
  readonly trips: () => number;
  readonly close: () => void;
}

/** Starts a proxy through which each round trip takes `tripMs` longer. `url`: that of the database. */
export async function openLine(url: string, tripMs: number): Promise<SlowLine> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let trips = 0;
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    let hasAnswered = true;
    carry(client, database, tripMs / 2, () => {
      if (hasAnswered) trips += 1;
      hasAnswered = false;
    });
    carry(database, client, tripMs / 2, () => {
      hasAnswered = true;
    });
    for (const socket of [client, database]) {
      socket.setNoDelay();
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    trips: () => trips,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Forwards data in order, each piece after the delay. Timers only count complete ms, so the rest is spent by polling
 * the clock.
 */
function carry(from: Socket, to: Socket, delayMs: number, onPiece: () => void): void {
  const held: { readonly piece: Buffer; readonly dueAt: number }[] = [];
  let isWaiting = false;
  const pass = (): void => {
    isWaiting = false;
    for (let next = held[0]; next !== undefined && next.dueAt <= performance.now(); next = held[0]) {
      held.shift();
      if (!to.destroyed) to.write(next.piece);
    }
    if (held[0] === undefined) return;
    isWaiting = true;
    const leftMs = held[0].dueAt - performance.now();
    if (leftMs > 2) setTimeout(pass, leftMs - 1);
    else setImmediate(pass);
  };
  from.on('data', (piece: Buffer) => {
    onPiece();
    held.push({ piece, dueAt: performance.now() + delayMs });
    if (!isWaiting) pass();
  });
}
