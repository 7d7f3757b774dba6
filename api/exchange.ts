import http from 'node:http';
import https from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { AgentPair } from './agents.ts';
import { AnswerBody, BodyCut } from './answer-body.ts';
import { type TimeLimits, Watch } from './time-limits.ts';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The server of a request, parsed once for all requests to it. */
export interface Target {
  readonly origin: string;
  readonly protocol: 'http:' | 'https:';
  /** In the form for connecting: an IPv6 address without brackets. */
  readonly hostname: string;
  /** Empty for the default of the protocol. */
  readonly port: string;
}

/** Returns the server of an http(s) URL. */
export function targetOf({ origin, protocol, hostname, port }: URL): Target {
  return {
    origin,
    protocol: protocol === 'https:' ? 'https:' : 'http:',
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
  };
}

/** One request, to be made once. */
export interface HttpRequest extends TimeLimits {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: Target;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream must have the length that `Content-Length` declares. */
  readonly body?: string | Readable;
  readonly agents: AgentPair;
  /** Largest body of an answer that is read, in bytes, decompressed. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** If true, the request is not sent after the process was suspended while connecting. */
  readonly isPaid?: boolean;
}

/** An answer whose body has not been read yet. */
export interface RawAnswer {
  readonly message: http.IncomingMessage;
  readonly body: AnswerBody;
  /** True if the body was compressed: its declared length is not that of the media. */
  readonly isEncoded: boolean;
}

/**
 * One request and its answer over Node's own client. It follows no redirects. The request body has a declared length: a
 * text is sent in one piece, a stream as it arrives.
 */
export class Exchange {
  /** Whether a byte of the request may have left: true once it was written to a connected socket. Never reset. */
  mayBeSent = false;
  /** Why this side ended the exchange (timeout, cancelled); undefined if it did not. */
  stopped: string | undefined;
  readonly #asked: HttpRequest;
  readonly #watch: Watch;
  #request: http.ClientRequest | undefined;
  #refuse: ((error: Error) => void) | undefined;
  #body: AnswerBody | undefined;

  /** The time limits start here. */
  constructor(asked: HttpRequest) {
    this.#asked = asked;
    this.#watch = new Watch(asked, this.#stop);
    asked.signal?.addEventListener('abort', this.#cancel);
  }

  /** Sends the request and resolves with the head of the answer. Rejects if there is none. Call it once. */
  run(): Promise<RawAnswer> {
    const { target, path, method, headers, body, agents } = this.#asked;
    const { protocol, hostname, port } = target;
    const isSecure = protocol === 'https:';
    const agent = isSecure ? agents.https : agents.http;
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      const options = { protocol, hostname, port, path, method, headers, agent };
      const request = isSecure ? https.request(options) : http.request(options);
      this.#request = request;
      onGiven(request, () => {
        this.#watch.connected();
        // During a suspension, another worker may have settled the attempt as lost, and a new take may have been paid.
        if (this.#asked.isPaid === true && this.#watch.wasSuspended) {
          this.#stop('the process stood still while the connection was made');
          return;
        }
        this.mayBeSent = true;
        if (body instanceof Readable) this.#upload(body, request);
        else request.end(body);
      });
      request.on('error', reject);
      request.on('close', () => {
        // Creating an error costs more than everything else here, and most requests have their answer by now.
        if (this.#body === undefined) reject(new Error('the connection was closed'));
      });
      request.on('response', (message) => {
        resolve(this.#open(message));
      });
    });
  }

  /** Releases timers and listeners. Call it if there was no answer; otherwise the end of the body does it. */
  readonly over = (): void => {
    this.#watch.stop();
    this.#asked.signal?.removeEventListener('abort', this.#cancel);
    // The connection of an incompletely sent request cannot be reused.
    if (this.#request?.writableEnded === false) this.#request.destroy();
  };

  #open(message: http.IncomingMessage): RawAnswer {
    this.#watch.headersReceived();
    const source = decompressed(message);
    this.#body = new AnswerBody(source, this.#asked.maxBytes, this.#watch, this.over);
    return { message, body: this.#body, isEncoded: source !== message };
  }

  /**
   * Streams the body. If it fails, the request is broken off before its end, so that no server can take it for
   * complete. An early answer, such as a refusal, ends the upload.
   */
  #upload(body: Readable, request: http.ClientRequest): void {
    body.once('error', (error) => {
      this.#stop(error.message);
    });
    const end = (): void => {
      body.unpipe(request);
      body.destroy();
    };
    request.once('response', end);
    request.once('close', end);
    body.pipe(request);
  }

  readonly #cancel = (): void => {
    this.#stop('cancelled');
  };

  readonly #stop = (cause: string): void => {
    this.stopped ??= cause;
    if (this.#body !== undefined) this.#body.fail(new BodyCut(cause));
    else {
      const error = new Error(cause);
      this.#request?.destroy(error);
      // While a proxy is still opening the tunnel, the request has no socket and would not report its end until it gets
      // one.
      this.#refuse?.(error);
    }
  };
}

/** Returns the body, decompressed if it is encoded. */
function decompressed(message: http.IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']?.toLowerCase();
  if (encoding === undefined) return message;
  const isBrotli = encoding === 'br';
  if (!isBrotli && !/^(x-)?gzip$|^deflate$/.test(encoding)) return message;
  const unzip = isBrotli ? createBrotliDecompress() : createUnzip();
  // A fault of either stream ends both, and the last one reports it.
  return pipeline(message, unzip, () => undefined);
}

/**
 * Calls back when a byte of the request may have been given to a connected socket: at once on a reused connection, on a
 * new one when it is connected (with TLS: when the certificate was accepted).
 *
 * A request that is ended only then can be cancelled until then. One that is ended earlier goes to its socket at once;
 * the socket holds it back until it is connected, and a TLS socket until the handshake is done. So before either event,
 * no byte of the request has left, whatever went wrong. `bytesWritten` does not help: it also counts the bytes held
 * back.
 */
function onGiven(request: http.ClientRequest, given: () => void): void {
  request.on('socket', (socket) => {
    const event = pendingEvent(socket);
    if (request.reusedSocket || event === undefined) given();
    else socket.once(event, given);
  });
}

/** The event after which bytes flow; undefined if they already do. */
function pendingEvent(socket: Socket): 'connect' | 'secureConnect' | undefined {
  // Typed by hand: the type lacks the flag, and on a TLS socket `connecting` ends before the handshake does.
  if (socket instanceof TLSSocket) {
    return (socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting === false
      ? undefined
      : 'secureConnect';
  }
  return socket.connecting ? 'connect' : undefined;
}
