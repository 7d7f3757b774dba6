import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** A line to a database server, which delays what it carries. */
export interface SlowLine {
  /** The address of the database over this line. */
  readonly url: string;
  /**
   * How often somebody spoke after an answer, or after a part of one, so far: at least as often as an answer was waited
   * for.
   */
  readonly trips: () => number;
  readonly close: () => void;
}

/** Opens a line on which each round trip takes `tripMs` longer. */
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
 * Passes on what comes, in order, each piece after the delay. Timers count whole ms, so the rest is waited for by
 * turns.
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
