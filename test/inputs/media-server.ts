import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../support/api-server.ts';

/** How a server hands out one file. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on a free port of this machine. */
export interface MediaServer {
  readonly url: string;
  /** Paths that were asked for, with the headers of each request. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  readonly close: () => Promise<void>;
}

/** Such a server, which is closed after the test. */
export async function startMediaServer(routes: Readonly<Record<string, Serve>>): Promise<MediaServer> {
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const serve = routes[path];
    if (serve === undefined) response.writeHead(404).end('no such file');
    else serve(request, response);
  });
  const { origin: url, close } = await listen(server, []);
  return { url, requests, close };
}

/** Serves bytes with range support, as object stores do. */
export function inRanges(bytes: Buffer, type: string): Serve {
  return (request, response) => {
    const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    if (asked === null) {
      whole(bytes, type)(request, response);
      return;
    }
    const start = Number(asked[1]);
    const end = asked[2] === '' ? bytes.length - 1 : Math.min(Number(asked[2]), bytes.length - 1);
    response.writeHead(206, {
      'content-type': type,
      'content-range': `bytes ${start}-${end}/${bytes.length}`,
      'content-length': end - start + 1,
    });
    response.end(bytes.subarray(start, end + 1));
  };
}

/** Serves all bytes whatever range is asked for, as plain servers do. */
export function whole(bytes: Buffer | string, type: string): Serve {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(bytes) }).end(bytes);
  };
}

/** Serves bytes with an entity tag, in answer to a range or as a whole. */
export function tagged(serve: Serve, etag: string): Serve {
  return (request, response) => {
    response.setHeader('etag', etag);
    serve(request, response);
  };
}

export function redirect(to: string): Serve {
  return (_, response) => {
    response.writeHead(302, { location: to }).end('moved');
  };
}
