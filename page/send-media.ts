import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Reader } from '../client/status/open-reader.ts';
import { rowMedia } from '../client/rows/row-media.ts';
import { chooseBatch } from '../client/open-records.ts';

/**
 * Sends a stored file of a row, or the byte range that a player requests. The query names a row (`batch`, `id`, and
 * optionally `take` and `file`, an index), never a path. A missing file is answered with 404.
 */
export async function sendMedia(
  reader: Reader,
  query: URLSearchParams,
  { headers, method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { name: batch } = await chooseBatch(reader.ledger, query.get('batch') ?? '');
  const take = query.get('take');
  const which = {
    batch,
    id: query.get('id') ?? '',
    file: Number(query.get('file') ?? 0),
    ...(take !== null && { take: Number(take) }),
  };
  const media = await rowMedia(reader, which, headers.range);
  if (media === undefined) {
    response.writeHead(404).end();
    return;
  }
  const { bytes, sha256, extension } = media.file;
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('etag', `"${sha256}"`);
  // Null: the file does not have the requested range; undefined: none was requested.
  if (media.range === null) {
    response.writeHead(416, { 'content-range': `bytes */${String(bytes)}` }).end();
    return;
  }
  const { first, last } = media.range ?? { first: 0, last: bytes - 1 };
  if (media.range !== undefined) response.setHeader('content-range', `bytes ${first}-${last}/${bytes}`);
  const body = await media.open().catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (body === undefined) {
    response.removeHeader('content-range');
    response.writeHead(404).end();
    return;
  }
  response.writeHead(media.range === undefined ? 200 : 206, {
    'content-type': media.type,
    'content-length': last + 1 - first,
    // A file that is neither audio, video nor plain text is downloaded, never shown.
    ...(media.type === 'application/octet-stream' && {
      'content-disposition': `attachment; filename="result.${extension.replace(/\W/g, '')}"`,
    }),
  });
  if (method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  // Players disconnect once they have what they need.
  await pipeline(body, response).catch(() => response.destroy());
}
