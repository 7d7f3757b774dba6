import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import * as z from 'zod';
import { readBody } from '../http/read-body.ts';
import { isSameSecret } from '../http/same-secret.ts';
import { messageOf } from '../../contract/message-of.ts';
import { EncryptionCodec } from '../../worker/encryption/payload-codec.ts';
import type { PayloadKeys } from '../../worker/encryption/payload-keys.ts';

/** Input of {@link startCodecServer}. */
export interface CodecServerOptions {
  readonly keys: PayloadKeys;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The only origin whose pages may send requests. Default: none. */
  readonly origin?: string | undefined;
  /** Token that requests must carry as `Authorization: Bearer`. Default: none is required. */
  readonly token?: string | undefined;
}

/** A running codec server. */
export interface CodecServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Max size of a request's body, bytes: more than the UI sends for one history. */
const MAX_BYTES = 16 * 1024 ** 2;
const PATH = /\/(encode|decode)$/;

/** Payloads as Temporal's UI and command line send them: bytes in base64. Without payloads, the body is `{}`. */
const BODY = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), z.base64()).default({}), data: z.base64().default('') }))
    .default([]),
});

/**
 * Starts a codec server (`POST /encode`, `POST /decode`), through which Temporal's UI and command line show encrypted
 * payloads: docs.temporal.io/codec-server. Rejects with a system error if the port is unavailable.
 */
export async function startCodecServer({ keys, host, port, origin, token }: CodecServerOptions): Promise<CodecServer> {
  const codec = new EncryptionCodec(keys);
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 15_000 }, (request, response) => {
    answer(request, { codec, origin, token }).then(
      ({ status, body }) => {
        send(response, status, body, origin);
      },
      (error: unknown) => {
        // The payload cannot be decrypted; the message names the missing key.
        send(response, 400, { message: messageOf(error) }, origin);
      },
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { url: urlOf(server), close: () => close(server) };
}

/** What requests are checked against and answered with. */
interface Rules extends Pick<CodecServerOptions, 'origin' | 'token'> {
  readonly codec: PayloadCodec;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

async function answer(request: IncomingMessage, { codec, origin, token }: Rules): Promise<Answer> {
  const { headers, method, url = '' } = request;
  // Otherwise any page in a browser on this machine could send requests, even under a name that resolves to it.
  if (headers.origin !== undefined && headers.origin !== origin) return refused(403, 'this origin may not ask');
  if (method === 'OPTIONS') return { status: 204 };
  const [, what] = PATH.exec(url.split('?', 1)[0] ?? '') ?? [];
  if (what === undefined) return refused(404, 'expected /encode or /decode');
  if (method !== 'POST') return refused(405, 'expected POST');
  if (token !== undefined && !isSameSecret(headers.authorization ?? '', `Bearer ${token}`))
    return refused(401, 'expected "Authorization: Bearer" and VOXBATCH_CODEC_TOKEN');
  const body = await readBody(request, MAX_BYTES);
  if (body === undefined) return refused(413, `expected at most ${String(MAX_BYTES)} bytes`);
  const payloads = BODY.parse(JSON.parse(body)).payloads.map(fromJson);
  const done = what === 'encode' ? await codec.encode(payloads) : await codec.decode(payloads);
  return { status: 200, body: { payloads: done.map(toJson) } };
}

function refused(status: number, message: string): Answer {
  return { status, body: { message } };
}

function fromJson({ metadata, data }: z.infer<typeof BODY>['payloads'][number]): Payload {
  const bytes = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const);
  return { metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') };
}

function toJson({ metadata, data }: Payload): object {
  const texts = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return { metadata: Object.fromEntries(texts) as object, data: Buffer.from(data ?? []).toString('base64') };
}

function send(response: ServerResponse, status: number, body: object | undefined, origin: string | undefined): void {
  const allowed = {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'authorization, content-type, x-namespace',
    vary: 'origin',
  };
  response.writeHead(status, {
    ...(origin === undefined ? {} : allowed),
    // The rest of a body that is too large was not read, so the connection is unusable.
    ...(status === 413 ? { connection: 'close' } : {}),
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
