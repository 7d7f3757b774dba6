import http from 'node:http';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readRange } from './byte-range.ts';
import { proofOf, unseal, type Grant } from './link-seal.ts';
import { MediaChanged } from './media-links.ts';
import { mediaTypeOf } from '../media-types.ts';
import type { VerifiedFile, VerifiedFiles } from './verified-files.ts';

/** Max concurrent connections; more are closed. */
const MAX_CONNECTIONS = 256;
/** A connection on which nothing moves for this long is closed, ms. */
const IDLE_TIMEOUT_MS = 60_000;
/** Bytes read at once. */
const CHUNK_BYTES = 256 * 1024;
/** Query parameter of a link that holds its sealed {@link Grant}. */
const GRANT_PARAMETER = 'k';
/** Path and query parameter by which another process of the same home recognises this server. */
const CHALLENGE_PATH = '/voxbatch';
const CHALLENGE_PARAMETER = 'q';
/** Longest accepted challenge, in characters. */
const MAX_CHALLENGE_LENGTH = 100;

/** Returns the part of a link after the server's base URL. `sealed`: the sealed grant. */
export function pathOfLink(name: string, sealed: string): string {
  return `/${name}?${GRANT_PARAMETER}=${sealed}`;
}

/** Returns the URL that sends a challenge to the server at a base URL. It answers with `proofOf`. */
export function challengeUrl(base: string, challenge: string): string {
  return `${base}${CHALLENGE_PATH}?${CHALLENGE_PARAMETER}=${challenge}`;
}

/**
 * Makes a server of the files that links sealed with this key allow, until the links expire, and only while a file has
 * the content that its link names. Supports GET, HEAD and a single range of bytes. Writes no log; refusals do not
 * reveal which files exist.
 */
export function createMediaServer(key: Buffer, files: VerifiedFiles): http.Server {
  const limits = { maxHeaderSize: 8_192, headersTimeout: 10_000, requestTimeout: 15_000 };
  const server = http.createServer(limits, (request, response) => {
    answer(key, files, request, response).catch(() => {
      response.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(IDLE_TIMEOUT_MS, (socket) => {
    socket.destroy();
  });
  return server;
}

/** Answers a request: a challenge, or a link. */
async function answer(
  key: Buffer,
  files: VerifiedFiles,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  request.resume();
  response.setHeader('x-content-type-options', 'nosniff');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(response.setHeader('allow', 'GET, HEAD'), 405);
    return;
  }
  const url = new URL(request.url ?? '', 'http://local');
  if (url.pathname.endsWith(CHALLENGE_PATH)) {
    const challenge = url.searchParams.get(CHALLENGE_PARAMETER) ?? '';
    if (challenge.length > MAX_CHALLENGE_LENGTH) refuse(response, 404);
    else response.end(proofOf(key, challenge));
    return;
  }
  const link = readLink(key, url);
  if (link === undefined) {
    refuse(response, 404);
    return;
  }
  if (link.grant.until < Date.now()) {
    refuse(response, 410);
    return;
  }
  let file: VerifiedFile;
  try {
    file = await files.open({ ...link.grant, sha256: link.sha256 });
  } catch (error) {
    refuse(response, error instanceof MediaChanged ? 404 : 503);
    return;
  }
  try {
    await sendFile(link, file, request, response);
  } finally {
    await file.handle.close();
  }
}

/** A parsed link. */
interface ReadLink {
  readonly sha256: string;
  readonly extension: string;
  readonly grant: Grant;
}

/** Parses a link; undefined if it was not sealed with this key. A proxy may have added folders before the name. */
function readLink(key: Buffer, { pathname, searchParams }: URL): ReadLink | undefined {
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  const grant = unseal(key, name, searchParams.get(GRANT_PARAMETER) ?? '');
  if (grant === undefined) return undefined;
  const extension = extname(name);
  return { sha256: name.slice(0, name.length - extension.length), extension: extension.slice(1), grant };
}

/** Answers with a status alone. */
function refuse(response: http.ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': 0, 'cache-control': 'no-store' }).end();
}

/** Sends a file, or the requested range of it. */
async function sendFile(
  { sha256, extension, grant: { bytes } }: ReadLink,
  file: VerifiedFile,
  { method, headers }: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const etag = `"${sha256}"`;
  // With `If-Range`, a client wants a part only of the content that it knows.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = readRange(isSame ? headers.range : undefined, bytes);
  response.setHeaders(
    new Map([
      ['accept-ranges', 'bytes'],
      ['cache-control', 'private, no-transform'],
      ['etag', etag],
    ]),
  );
  if (range === null) {
    refuse(response.setHeader('content-range', `bytes */${String(bytes)}`), 416);
    return;
  }
  const { first, last } = range ?? { first: 0, last: bytes - 1 };
  if (range !== undefined)
    response.setHeader('content-range', `bytes ${String(first)}-${String(last)}/${String(bytes)}`);
  response.writeHead(range === undefined ? 200 : 206, {
    'content-type': mediaTypeOf(extension),
    'content-length': last - first + 1,
  });
  if (method === 'HEAD') response.end();
  else await pipeline(Readable.from(chunksOf(file, first, last), { objectMode: false }), response);
}

/** Yields a range of a file. Holds back the last chunk until it is certain that nobody wrote to the file meanwhile. */
async function* chunksOf(file: VerifiedFile, first: number, last: number): AsyncGenerator<Buffer> {
  let at = first;
  while (at <= last) {
    const length = Math.min(CHUNK_BYTES, last + 1 - at);
    const { bytesRead, buffer } = await file.handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new Error('The file is shorter than it was.');
    at += bytesRead;
    if (at > last && !(await file.isUnchanged())) throw new Error('The file has changed while it was sent.');
    yield buffer.subarray(0, bytesRead);
  }
}
