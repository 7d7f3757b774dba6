import { timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { changeWatched, MentionedJobs, type Mentions, type WatchChange } from './mentioned-jobs.ts';

/** Where to listen for webhooks, and which to accept. */
export interface ListenRequest {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Last path segment, which authorizes the sender. */
  readonly secret: string;
  /** How long to remember mentions of jobs that nobody watches yet, ms. */
  readonly memoryMs: number;
}

/** A webhook server in this thread. */
export interface WebhookReceiver {
  readonly port: number;
  /** Applies changes to the watched jobs, in order. */
  readonly change: (changes: readonly WatchChange[]) => void;
  close(): Promise<void>;
}

/**
 * Listens for webhooks in this thread. Rejects with a system error if the port is unavailable.
 *
 * @param onMentions called with the jobs and words that webhooks mention
 * @param rest called before each piece of work; may block the thread
 */
export async function receiveWebhooks(
  { host, port, secret, memoryMs }: ListenRequest,
  onMentions: (mentions: Mentions) => void,
  rest?: () => void,
): Promise<WebhookReceiver> {
  const jobs = new MentionedJobs(memoryMs);
  const onRequest = (content: string): void => {
    const words: string[] = [];
    const ids = jobs.search(content, words);
    if (ids.length + words.length > 0) onMentions({ ids, words });
  };
  const server = createWebhookServer({ secret, onRequest, rest });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    change: (changes) => {
      const ids = changeWatched(jobs, changes);
      if (ids.length > 0) onMentions({ ids, words: [] });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Max bytes read of a body. */
const MAX_BYTES = 64 * 1024;

/** Max concurrent connections; more are closed. */
const MAX_CONNECTIONS = 256;

/** Options of a webhook server. */
export interface WebhookServerOptions {
  /** Last path segment, which authorizes the sender. */
  readonly secret: string;
  /** Receives the content of each authorized request: its query, the beginning of its body and its headers. */
  readonly onRequest: (content: string) => void;
  /** Called before each piece of work; may block the thread. */
  readonly rest?: (() => void) | undefined;
}

/**
 * Creates an HTTP server that accepts anything sent to one secret path and answers 204. Any other path gets a 404
 * without its body being read. It writes no log. Headers, body, time and connections are all bounded.
 */
export function createWebhookServer({ secret, onRequest, rest }: WebhookServerOptions): http.Server {
  const expected = Buffer.from(secret, 'latin1');
  const limits = { maxHeaderSize: 8192, headersTimeout: 5_000, requestTimeout: 15_000 };
  const server = http.createServer(limits, (request, response) => {
    rest?.();
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (!isSecret(path, expected)) {
      response.writeHead(404, { connection: 'close', 'content-length': '0' }).end();
      return;
    }
    readStart(request, (body, isWhole) => {
      onRequest([query, body, ...request.rawHeaders].join('\n'));
      response.writeHead(204, isWhole ? {} : { connection: 'close' }).end();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.keepAliveTimeout = 10_000;
  server.on('connection', () => rest?.());
  server.on('clientError', (_error, socket) => {
    socket.destroy();
  });
  return server;
}

/** Returns whether a path ends in the secret; a reverse proxy may have added or removed leading segments. */
function isSecret(path: string, expected: Buffer): boolean {
  const at = path.length - expected.length;
  if (at < 1 || path[at - 1] !== '/') return false;
  const given = Buffer.from(path.slice(at), 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Reads the beginning of a body, at most {@link MAX_BYTES}, and passes it to `use` as Latin-1, because job ids are
 * ASCII. `isWhole`: whether that was all of it.
 */
function readStart(request: http.IncomingMessage, use: (body: string, isWhole: boolean) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const end = (isWhole: boolean): void => {
    request.removeAllListeners('data');
    request.removeAllListeners('end');
    const bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
    use(bytes.toString('latin1', 0, MAX_BYTES), isWhole);
  };
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BYTES) end(false);
  });
  request.on('end', () => {
    end(true);
  });
  request.on('error', () => undefined);
}
