import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { eachWord, keyOf } from '../../policy/webhooks/mentions.ts';
import { timingSafeEqual } from 'node:crypto';

/** Where to listen for webhooks. */
export interface ListenRequest {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly secret: string;
  /** How long to remember mentions of jobs that nobody watches yet, ms. */
  readonly memoryMs: number;
}

/** Starts or stops watching a job. */
export interface WatchChange {
  readonly jobId: string;
  readonly isWatched: boolean;
}

/** A webhook server in this thread. */
export interface ListeningHere {
  readonly port: number;
  /** Applies changes to the watched jobs, in order. */
  readonly change: (changes: readonly WatchChange[]) => void;
  close(): Promise<void>;
}

/** What a webhook said. */
export interface Heard {
  /** Watched jobs that it mentioned. */
  readonly ids: readonly string[];
  /** Other words, which may be the ids of jobs that another process waits for. */
  readonly words: readonly string[];
}

/** Listens in this thread. `rest` is called before each piece of work. Rejects if the port is unavailable. */
export async function listenHere(
  { host, port, secret, memoryMs }: ListenRequest,
  onHeard: (heard: Heard) => void,
  rest?: () => void,
): Promise<ListeningHere> {
  const jobs = new HeardJobs(memoryMs);
  const hear = (said: string): void => {
    const words: string[] = [];
    const ids = jobs.hear(said, words);
    if (ids.length + words.length > 0) onHeard({ ids, words });
  };
  const server = createHintServer({ secret, hear, rest });
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
      if (ids.length > 0) onHeard({ ids, words: [] });
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

/** Applies changes in order. Returns the jobs that were mentioned before they were watched. */
export function changeWatched(jobs: HeardJobs, changes: readonly WatchChange[]): readonly string[] {
  const heard: string[] = [];
  for (const { jobId, isWatched } of changes) {
    if (!isWatched) jobs.forget(jobId);
    else if (jobs.watch(jobId)) heard.push(jobId);
  }
  return heard;
}

/** Max words remembered per request that name no job yet. Requests usually have few. */
const MOST_WORDS = 64;
/** Max words remembered in total. */
const MOST_REMEMBERED = 4_096;

/**
 * Finds the jobs that webhooks mention. Each job is reported once per {@link HeardJobs.watch}: further mentions in
 * between add nothing to the first.
 */
export class HeardJobs {
  readonly #now: () => number;
  readonly #memoryMs: number;
  /** Watched jobs, keyed by the part of their ids that bodies are searched for. */
  readonly #watched = new Map<string, Set<string>>();
  /** Words of recent requests with their arrival times, oldest first. */
  readonly #words = new Map<string, number>();

  /** @param memoryMs how long to remember words that name no job yet */
  constructor(memoryMs: number, now: () => number = () => performance.now()) {
    this.#memoryMs = memoryMs;
    this.#now = now;
  }

  /** Watches for the next mention of a job. Returns true if it was already mentioned within `memoryMs`. */
  watch(jobId: string): boolean {
    const key = keyOf(jobId);
    const heardAt = this.#words.get(key);
    if (heardAt !== undefined && this.#now() - heardAt <= this.#memoryMs) {
      this.#words.delete(key);
      return true;
    }
    const ids = this.#watched.get(key);
    if (ids === undefined) this.#watched.set(key, new Set([jobId]));
    else ids.add(jobId);
    return false;
  }

  forget(jobId: string): void {
    const key = keyOf(jobId);
    const ids = this.#watched.get(key);
    ids?.delete(jobId);
    if (ids?.size === 0) this.#watched.delete(key);
  }

  /**
   * The watched jobs that a request mentions, each once even if repeated, as in a link. `others` gets the first words
   * that name no watched job.
   */
  hear(said: string, others: string[] = []): readonly string[] {
    const heard: string[] = [];
    const told = new Set<string>();
    let words = 0;
    eachWord(said, (word) => {
      const ids = this.#watched.get(word);
      if (ids !== undefined) {
        heard.push(...ids);
        this.#watched.delete(word);
        told.add(word);
      } else if (words < MOST_WORDS && !told.has(word)) {
        words += 1;
        others.push(word);
        this.#remember(word);
      }
    });
    return heard;
  }

  #remember(word: string): void {
    this.#words.delete(word);
    this.#words.set(word, this.#now());
    if (this.#words.size <= MOST_REMEMBERED) return;
    for (const oldest of this.#words.keys()) {
      this.#words.delete(oldest);
      return;
    }
  }
}

/** Max bytes read of a body. */
const MOST_BYTES = 64 * 1024;
/** Max concurrent connections; more are closed. */
const MOST_CONNECTIONS = 256;

/** Options of a webhook server. */
export interface HintServerOptions {
  /** Last path segment, which authorizes the sender. */
  readonly secret: string;
  /** Receives the content of each authorized request: its query, the beginning of its body and its headers. */
  readonly hear: (said: string) => void;
  /** Called before each piece of work; may block the thread. */
  readonly rest?: (() => void) | undefined;
}

/**
 * An HTTP server that accepts anything sent to one secret path and answers 204. Any other path gets a 404 without its
 * body being read. It writes no log. Headers, body, time and connections are all bounded.
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

/** Whether a path ends in the secret; a reverse proxy may have added or removed leading segments. */
function isSecret(path: string, expected: Buffer): boolean {
  const at = path.length - expected.length;
  if (at < 1 || path[at - 1] !== '/') return false;
  const given = Buffer.from(path.slice(at), 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Reads as much of a body as needed. Ids are ASCII, whatever the rest is. */
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
