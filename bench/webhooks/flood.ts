/**
 * A process that floods an address with forged webhooks: so many a second, whether anybody answers or not. It gets a {@link
 * FloodOrder}, and from then on ids of jobs to forge webhooks for. When it is told to end, it says what came of it.
 */
import net from 'node:net';
import { randomBytes, randomUUID } from 'node:crypto';

/** What to flood. */
export interface FloodOrder {
  readonly port: number;
  /** The path that the API was given. */
  readonly path: string;
  readonly perSecond: number;
}

/** What comes to the process. */
export type FloodMessage = FloodOrder | { readonly jobIds: readonly string[] } | 'end';

/** What came of a flood. */
export interface FloodEnd {
  /** Requests given to the system. */
  readonly offered: number;
  readonly seconds: number;
  readonly answered: number;
}

const CONNECTIONS = 64;
const TICK_MS = 10;
/** What may wait in a connection that the other side does not read, bytes. */
const MOST_WAITING = 16 * 1024;

let jobIds: readonly string[] = [];
let [offered, answered, sent] = [0, 0, 0];
let order: FloodOrder | undefined;
let begunAt = 0;
const sockets: net.Socket[] = [];

/** One that knows the path and a job, one that knows the path, one that knows neither: in turn. */
function forge({ path }: FloodOrder): string {
  const turn = sent++ % 3;
  const known = jobIds[Math.floor(Math.random() * jobIds.length)];
  const body = JSON.stringify({ id: turn === 0 ? (known ?? randomUUID()) : randomUUID(), status: 'completed' });
  const to = turn === 2 ? `/${randomBytes(12).toString('hex')}` : path;
  return `POST ${to} HTTP/1.1\r\nhost: x\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;
}

function connect(port: number): net.Socket {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('data', (chunk: Buffer) => {
    answered += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
  });
  // It is replaced when its turn comes.
  socket.on('error', () => undefined);
  return socket;
}

/** Offers what is due by now. A connection that is full or closed is given up for a new one, as an attacker would. */
function offer(flood: FloodOrder): void {
  const due = Math.floor(((performance.now() - begunAt) / 1_000) * flood.perSecond) - offered;
  const each = Math.ceil(due / CONNECTIONS);
  for (let at = 0; at < CONNECTIONS && due > 0; at++) {
    let socket = sockets[at];
    if (socket === undefined || socket.destroyed || !socket.writable || socket.writableLength > MOST_WAITING) {
      socket?.destroy();
      socket = sockets[at] = connect(flood.port);
    }
    socket.write(Array.from({ length: each }, () => forge(flood)).join(''));
    offered += each;
  }
}

process.on('message', (message: FloodMessage) => {
  if (message === 'end') {
    const end: FloodEnd = { offered, seconds: (performance.now() - begunAt) / 1_000, answered };
    process.send?.(end, () => process.exit());
  } else if ('jobIds' in message) ({ jobIds } = message);
  else {
    order = message;
    begunAt = performance.now();
    setInterval(() => {
      if (order !== undefined) offer(order);
    }, TICK_MS);
  }
});
process.on('disconnect', () => process.exit());
