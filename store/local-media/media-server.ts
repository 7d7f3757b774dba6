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
const MOST_CONNECTIONS = 256;
/** A connection on which nothing moves for this long is closed, ms. */
const IDLE_MS = 60_000;
/** Bytes read at once. */
const CHUNK = 256 * 1024;
/** The parameter of a link that holds what it allows. */
const GRANT_PARAMETER = 'k';
/** Path and parameter by which a process of the same home recognises this server. */
const QUESTION_PATH = '/voxbatch';
const QUESTION_PARAMETER = 'q';
const LONGEST_QUESTION = 100;

/** The part of a link after its base; see {@link readLink}. */
export function pathOfLink(name: string, sealed: string): string {
  return `/${name}?${GRANT_PARAMETER}=${sealed}`;
}

/** The question to a server at a base URL; the answer is `proofOf`. */
export function questionTo(base: string, question: string): string {
  return `${base}${QUESTION_PATH}?${QUESTION_PARAMETER}=${question}`;
}

/**
 * A server that hands out exactly the files that links of this key allow, until they expire, and only while they have
 * the content that the link names. GET, HEAD and one range of bytes. It writes no log, and a refusal says nothing of
 * what is there.
 */
export function createMediaServer(key: Buffer, files: VerifiedFiles): http.Server {
  const limits = { maxHeaderSize: 8_192, headersTimeout: 10_000, requestTimeout: 15_000 };
  const server = http.createServer(limits, (request, response) => {
    answer(key, files, request, response).catch(() => {
      response.destroy();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(IDLE_MS, (socket) => {
    socket.destroy();
  });
  return server;
}

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
  if (url.pathname.endsWith(QUESTION_PATH)) {
    const question = url.searchParams.get(QUESTION_PARAMETER) ?? '';
    if (question.length > LONGEST_QUESTION) refuse(response, 404);
    else response.end(proofOf(key, question));
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

/** A link of ours. */
interface ReadLink {
  readonly sha256: string;
  readonly extension: string;
  readonly grant: Grant;
}

/** What a URL allows; undefined if it is no link of this key. A proxy may have put folders before the name. */
function readLink(key: Buffer, { pathname, searchParams }: URL): ReadLink | undefined {
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  const grant = unseal(key, name, searchParams.get(GRANT_PARAMETER) ?? '');
  if (grant === undefined) return undefined;
  const extension = extname(name);
  return { sha256: name.slice(0, name.length - extension.length), extension: extension.slice(1), grant };
}

function refuse(response: http.ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': 0, 'cache-control': 'no-store' }).end();
}

async function sendFile(
  { sha256, extension, grant: { bytes } }: ReadLink,
  file: VerifiedFile,
  { method, headers }: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const etag = `"${sha256}"`;
  // A part is only wanted of the same content.
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

/** The bytes of a file. The last of them are held back until it is certain that nobody wrote to it meanwhile. */
async function* chunksOf(file: VerifiedFile, first: number, last: number): AsyncGenerator<Buffer> {
  let at = first;
  while (at <= last) {
    const length = Math.min(CHUNK, last + 1 - at);
    const { bytesRead, buffer } = await file.handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new Error('The file is shorter than it was.');
    at += bytesRead;
    if (at > last && !(await file.isUnchanged())) throw new Error('The file has changed while it was sent.');
    yield buffer.subarray(0, bytesRead);
  }
}
