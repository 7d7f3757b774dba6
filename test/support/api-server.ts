import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { ApiOptions } from '../../api/connection.ts';
import { createSpeechApi } from '../../api/create-api.ts';
import type { PaidRequest, SpeechApi } from '../../api/speech-api.ts';
import { endAfterTest } from './end-after-test.ts';

/** The token of these tests. It must never come out anywhere but at the API's own origin. */
export const TOKEN = 'tok/3n+5ecret=0123456789abcdef';

/** A time limit that a test lets pass, ms: so long that a connection is made in it on a busy machine, too. */
export const LIMIT_MS = 1_500;

/** A request as a server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** Connections that were made so far. */
  connections(): number;
  readonly close: () => Promise<void>;
}

/** An HTTP server on a random port; it is closed after the test. The handler is called when the request is whole. */
export async function serve(
  handler: (request: SeenRequest, response: http.ServerResponse) => void,
  options: http.ServerOptions = {},
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const server = http.createServer(options, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      seen.push(one);
      handler(one, response);
    });
  });
  return listen(server, seen);
}

/** A TCP server that does what the callback does with each connection. */
export async function serveRaw(onConnection: (socket: Socket, count: number) => void): Promise<TestServer> {
  let count = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    count += 1;
    onConnection(socket, count);
  });
  return listen(server, []);
}

/** Opens a server of any kind on a random port of this machine and closes it, with its connections, after the test. */
export async function listen(server: net.Server, seen: SeenRequest[]): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of sockets) socket.destroy();
    });
    return closed;
  };
  endAfterTest(close);
  return { origin: `http://127.0.0.1:${port}`, port, seen, connections: () => connections, close };
}

/** Answers every request in the same way. */
export function always(
  status: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {},
): (request: SeenRequest, response: http.ServerResponse) => void {
  return (_request, response) => {
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    response.writeHead(status, { ...(isText ? {} : { 'content-type': 'application/json' }), ...headers });
    response.end(isText ? body : body === undefined ? undefined : JSON.stringify(body));
  };
}

/** A client of the server; its idle connections are closed after the test. */
export function clientOf(origin: string, options: Partial<ApiOptions> = {}): SpeechApi {
  const api = createSpeechApi({ baseUrl: `${origin}/api/open/v1`, token: TOKEN, ...options });
  endAfterTest(() => {
    api.close();
  });
  return api;
}

/** A speech job that may be sent. */
export const SPEECH_JOB: PaidRequest = {
  operation: 'speech-job',
  spec: { kind: 'tts', text: 'The quick brown fox jumps over the lazy dog.', voice: 'v-1', extra: {} },
  idempotencyKey: 'voxbatch-test-1',
  isRepeat: false,
  trust503: true,
};

/** The same as synchronous speech. */
export const SPEECH_SYNC: PaidRequest = { ...SPEECH_JOB, operation: 'speech-sync' };

export const TRANSCRIPTION: PaidRequest = {
  operation: 'transcription',
  spec: { kind: 'stt', audio: 'https://media.example/private/a.mp3?sig=1', language: 'en', extra: {} },
  idempotencyKey: 'voxbatch-test-2',
  isRepeat: false,
  trust503: true,
};

export const LIP_SYNC: PaidRequest = {
  operation: 'lip-sync-job',
  spec: { kind: 'lip-sync', video: 'https://media.example/v.mp4', audio: 'https://media.example/a.mp3', extra: {} },
  idempotencyKey: 'voxbatch-test-3',
  isRepeat: false,
  trust503: true,
};
