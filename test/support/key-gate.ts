import { once } from 'node:events';
import {
  connect,
  constants,
  createSecureServer,
  type ClientHttp2Stream,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { endAfterTest } from './end-after-test.ts';

const { HTTP2_HEADER_AUTHORITY, HTTP2_HEADER_STATUS } = constants;
/** A status of gRPC. */
const UNAUTHENTICATED = '16';

/** A gate before a Temporal server without TLS. */
export interface KeyGate {
  readonly address: string;
  /** The key that calls must bring; may change. */
  key: string;
  /** Calls that were refused. */
  refused: number;
}

/**
 * Opens one, as Temporal Cloud is: it speaks TLS, answers calls with the right API key (`authorization: Bearer KEY`) with what
 * the server says, and refuses all others. Shut after the test.
 *
 * @param address of the server
 * @param serving certificate and key of the gate
 */
export async function openKeyGate(address: string, serving: SecureContextOptions, key: string): Promise<KeyGate> {
  const inside = connect(`http://${address}`);
  const sessions = new Set<Http2Session>([inside]);
  inside.on('error', () => undefined);
  const gate: { -readonly [N in keyof KeyGate]: KeyGate[N] } = { address: '', key, refused: 0 };
  const server = createSecureServer(serving);
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (headers.authorization === `Bearer ${gate.key}`) {
      pass(stream, inside.request(forwarded(headers)));
      return;
    }
    gate.refused += 1;
    const grpc = { 'grpc-status': UNAUTHENTICATED, 'grpc-message': 'Request unauthorized.' };
    stream.respond({ [HTTP2_HEADER_STATUS]: 200, 'content-type': 'application/grpc', ...grpc }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  gate.address = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  endAfterTest(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const session of sessions) session.destroy();
    await closed;
  });
  return gate;
}

/** The headers of a call without what belongs to the connection and the gate. */
function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const own = [HTTP2_HEADER_AUTHORITY, 'authorization'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
}

/** Hands a call on, with the trailers in which gRPC says how it went. */
function pass(outer: ServerHttp2Stream, inner: ClientHttp2Stream): void {
  let trailers: IncomingHttpHeaders = {};
  inner.on('error', () => {
    outer.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  inner.on('trailers', (said: IncomingHttpHeaders) => {
    trailers = said;
  });
  inner.on('response', (headers) => {
    if (outer.destroyed) return;
    outer.respond(headers, { waitForTrailers: true });
    outer.on('wantTrailers', () => {
      outer.sendTrailers(trailers);
    });
    inner.pipe(outer);
  });
  outer.on('close', () => {
    inner.close(constants.NGHTTP2_CANCEL);
  });
  outer.pipe(inner);
}
