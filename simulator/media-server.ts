import fastify, { type FastifyInstance } from 'fastify';
import { type Answer, html, notFoundPage } from './answer.ts';
import { deliver, type Exchange, send } from './deliver.ts';
import type { Draw } from './draw.ts';
import { contentTypeOf, type MediaResult, renderMedia, sampleOf } from './media-result.ts';
import type { Service } from './service.ts';

/**
 * Builds the server of the second origin: results behind expiring links, and sample inputs that do not expire. It needs
 * no token, and counts every request that carries one.
 */
export function buildMediaServer(service: () => Service): FastifyInstance {
  const server = fastify({ forceCloseConnections: true });
  server.addHook('onRequest', (request, reply, done) => {
    const { statistics } = service();
    if (request.headers.authorization !== undefined) statistics.countForeignAuthorization();
    const route = `${request.method} ${request.routeOptions.url ?? '(unknown media path)'}`;
    reply.raw.once('close', () => {
      statistics.countAnswer(route, reply.raw.headersSent ? reply.raw.statusCode : 'none');
    });
    done();
  });
  server.setNotFoundHandler((_request, reply) => {
    reply.hijack();
    send(reply, notFoundPage());
  });
  server.get<{ Params: { file: string } }>('/samples/:file', async (request, reply) => {
    const { file } = request.params;
    const sample = sampleOf(file);
    reply.hijack();
    if (sample === null) {
      send(reply, notFoundPage());
      return;
    }
    const body = await service().media.get(`sample ${file}`, () => renderMedia(sample.format, sample.sound));
    send(reply, { status: 200, headers: { 'content-type': contentTypeOf(sample.format) }, body });
  });
  server.get<{ Params: { file: string } }>('/results/:file', (request, reply) => {
    const query = new URL(request.url, 'http://localhost').searchParams;
    return deliver(service(), download(service(), request.params.file, query), reply);
  });
  return server;
}

function download(service: Service, file: string, query: URLSearchParams): Exchange {
  const result = service.find(file);
  return {
    on: 'download',
    operation: result?.operation ?? null,
    subject: result?.subject ?? '',
    perform: async (fate, draw) => {
      const expires = service.links.expiryOf(file, query);
      if (result === undefined || expires === null || expires < Date.now() || fate?.kind === 'dead-link') {
        return deadLink(draw);
      }
      return {
        status: 200,
        headers: { 'content-type': result.format === 'wav' ? draw.shape('wav.type') : contentTypeOf(result.format) },
        body: await bytesOf(service, result),
        chunked: draw.shape('media.transfer') === 'chunked',
      };
    },
    otherMedia: () => renderMedia(result?.format === 'mp3' ? 'wav' : 'mp3', result?.sound ?? emptySound),
  };
}

const emptySound = { text: '', key: '', seconds: 0.5, format: 'mp3', expires: null } as const;

function bytesOf(service: Service, result: MediaResult): Promise<Buffer> {
  return service.media.get(result.file, () => renderMedia(result.format, result.sound));
}

/** An object store's answer to an expired link. */
function deadLink(draw: Draw): Answer {
  const status = Number(draw.shape('dead.status'));
  if (draw.shape('dead.body') === 'html') return html(status, 'Request has expired');
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
    ),
  };
}
