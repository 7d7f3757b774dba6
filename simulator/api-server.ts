import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { API_PATH } from '../contract/api-path.ts';
import { notFoundPage } from './answer.ts';
import { refusedAnswer, send } from './deliver.ts';
import { openApiDocument } from './open-api.ts';
import { Refusal } from './refusals.ts';
import { API_ROUTES } from './routes/all.ts';
import { addControlRoutes } from './routes/control.ts';
import type { Service } from './service.ts';

/** Largest request body in bytes. */
const BODY_LIMIT = 16 * 1024 * 1024;

/** Builds the API server, not yet listening. */
export function buildApiServer(service: Service): FastifyInstance {
  const server = fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: false },
  });
  server.addContentTypeParser(/^multipart\/form-data/, { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  server.addHook('onRequest', (request, reply, done) => {
    countWhenClosed(service, request, reply);
    done();
  });
  server.setErrorHandler((error, _request, reply) => {
    reply.hijack();
    send(reply, refusedAnswer(asRefusal(error), service.nextDraw()));
  });
  server.setNotFoundHandler((_request, reply) => {
    reply.hijack();
    send(reply, notFoundPage());
  });
  server.get('/api/openapi.json', () => openApiDocument());
  addControlRoutes(server, service);
  server.register(
    (api, _options, done) => {
      api.addHook('onRequest', (request, _reply, next) => {
        service.account.checkToken(request.headers.authorization);
        next();
      });
      for (const routes of API_ROUTES) routes.add(api, service);
      done();
    },
    { prefix: API_PATH },
  );
  return server;
}

function countWhenClosed(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  const path = request.routeOptions.url?.replace(API_PATH, '') ?? '(unknown path)';
  reply.raw.once('close', () => {
    service.statistics.countAnswer(`${request.method} ${path}`, reply.raw.headersSent ? reply.raw.statusCode : 'none');
  });
}

/** An unreadable body is the caller's mistake. */
function asRefusal(error: unknown): unknown {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return new Refusal(413, 'ERR_PAYLOAD_TOO_LARGE', 'The request body is too large');
  if (typeof status === 'number' && status < 500) {
    return new Refusal(400, 'ERR_MISSING_REQUIRED_FIELDS', 'Invalid request body');
  }
  return error;
}
