import { timingSafeEqual } from 'node:crypto';
import http from 'node:http';

/** What is read of a body, bytes. */
const MOST_BYTES = 64 * 1024;
/** Connections at once; more are closed. */
const MOST_CONNECTIONS = 256;

/** What a server of webhooks does. */
export interface HintServerOptions {
  /** Last segment of the path; whoever knows it may send. */
  readonly secret: string;
  /** Gets what each request says that came there: its query, the beginning of its body, its headers. */
  readonly hear: (said: string) => void;
  /** Called before each piece of work; may hold up the thread. */
  readonly rest?: (() => void) | undefined;
}

/**
 * An HTTP server that takes anything that comes to one secret path, and answers 204. Any other path is a 404, and its
 * body is not read. It writes no log. Every part of a request is bounded: header, body, time, connections.
 */
export function createHintServer({ secret, hear, rest }: HintServerOptions): http.Server {
  const expected = Buffer.from(secret, 'latin1');
  const limits = { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 15_000 };
  const server = http.createServer(limits, (request, response) => {
    rest?.();
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (!isSecret(path, expected)) {
      response.writeHead(404, { connection: 'close', 'content-length': '0' }).end();
      return;
    }
    readStart(request, (body, isWhole) => {
      hear([query, body, ...request.rawHeaders].join('\n'));
      response.writeHead(204, isWhole ? {} : { connection: 'close' }).end();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.keepAliveTimeout = 10_000;
  server.on('connection', () => rest?.());
  server.on('clientError', (_error, socket) => {
    socket.destroy();
  });
  return server;
}

/** Whether a path ends in the secret; something in front may have added to it, or taken away. */
function isSecret(path: string, expected: Buffer): boolean {
  const at = path.length - expected.length;
  if (at < 1 || path[at - 1] !== '/') return false;
  const given = Buffer.from(path.slice(at), 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Reads a body as far as it is needed. Ids are ASCII, whatever the rest is. */
function readStart(request: http.IncomingMessage, use: (body: string, isWhole: boolean) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const end = (isWhole: boolean): void => {
    request.removeAllListeners('data');
    request.removeAllListeners('end');
    const bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
    use(bytes.toString('latin1', 0, MOST_BYTES), isWhole);
  };
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MOST_BYTES) end(false);
  });
  request.on('end', () => {
    end(true);
  });
  request.on('error', () => undefined);
}
