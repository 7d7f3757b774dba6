import http from 'node:http';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { listen, type TestServer } from './api-server.ts';
import type { Certified } from './self-made-ca.ts';

/** A proxy that opens tunnels, and what it was asked for. */
export interface TestProxy extends TestServer {
  /** `host:port` of each tunnel that was asked for. */
  readonly asked: string[];
  /** Headers of those requests. */
  readonly headers: http.IncomingHttpHeaders[];
  /** Everything that a client wrote into a tunnel, as one text. */
  said(): string;
}

/**
 * An HTTP proxy on a random port, closed after the test. It knows the names of its own world only.
 *
 * @param portOf the local port behind a `host:port`, or the status to refuse it with
 */
export async function serveProxy(
  portOf: (authority: string) => number | { readonly status: number },
): Promise<TestProxy> {
  const asked: string[] = [];
  const headers: http.IncomingHttpHeaders[] = [];
  const said: Buffer[] = [];
  const server = http.createServer((_request, response) => {
    response.writeHead(501).end();
  });
  server.on('connect', (request: http.IncomingMessage, client: Socket) => {
    const authority = request.url ?? '';
    asked.push(authority);
    headers.push(request.headers);
    const found = portOf(authority);
    client.on('error', () => undefined);
    if (typeof found !== 'number') {
      client.end(`HTTP/1.1 ${found.status} ${http.STATUS_CODES[found.status] ?? ''}\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const target = net.connect(found, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.on('data', (piece: Buffer) => said.push(piece));
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  return { ...(await listen(server, [])), asked, headers, said: () => Buffer.concat(said).toString('latin1') };
}

/** TLS in front of a local server; closed after the test. */
export async function serveTlsFront(certified: Certified, port: number): Promise<TestServer> {
  const server = tls.createServer({ cert: certified.cert, key: certified.key }, (socket) => {
    const target = net.connect(port, '127.0.0.1');
    for (const one of [socket, target]) one.on('error', () => undefined);
    socket.on('close', () => target.destroy());
    target.on('close', () => socket.destroy());
    socket.pipe(target).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  return listen(server, []);
}
