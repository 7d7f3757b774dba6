import { connect, createServer } from 'node:net';
import { listen } from './api-server.ts';

/** Whether a connection is cut at these bytes, which its client or the server has said, and which then go nowhere. */
export interface Cuts {
  readonly asked?: (bytes: Buffer) => boolean;
  readonly answered?: (bytes: Buffer) => boolean;
}

export interface Line {
  readonly port: number;
  /** The address that was given, over this line. */
  readonly href: string;
  readonly close: () => Promise<void>;
}

/** A line to a server, closed after the test. `begin` is asked at each connection; undefined: it is refused. */
export async function openLine(address: string, begin: () => Cuts | undefined): Promise<Line> {
  const url = new URL(address);
  const [host, target] = [url.hostname, Number(url.port)];
  const server = createServer((client) => {
    const cuts = begin();
    if (cuts === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(target, host);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', () => undefined).on('close', cut);
    client.on('data', (bytes: Buffer) => (cuts.asked?.(bytes) === true ? cut() : upstream.write(bytes)));
    upstream.on('data', (bytes: Buffer) => (cuts.answered?.(bytes) === true ? cut() : client.write(bytes)));
  });
  const { port, close } = await listen(server, []);
  url.port = String(port);
  return { port, href: url.href, close };
}
