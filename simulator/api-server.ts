import fastify, {
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { API_PATH } from '../contract/urls.ts';
import type { Dialect } from '../contract/dialects.ts';
import { notFoundPage } from './answer.ts';
import { refusedAnswer, send } from './deliver.ts';
import { LEGACY_ROUTES } from './legacy/all.ts';
import { openApiDocument } from './open-api.ts';
import { Refusal } from './refusals.ts';
import { API_ROUTES } from './routes/all.ts';
import { addControlRoutes } from './routes/control.ts';
import { ownRoutes } from './own-operations/own-routes.ts';
import type { Service } from './service.ts';

/** Prefix of the legacy paths. */
const LEGACY_PATH = '/api/open';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True where the token may be in the body, so its handler checks it. */
    readonly tokenInBody?: true;
  }
}

/** Largest request body in bytes. */
const BODY_LIMIT = 32 * 1024 * 1024;

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
  server.setErrorHandler((error, request, reply) => {
    reply.hijack();
    send(reply, refusedAnswer(asRefusal(error), service.nextDraw(dialectOf(request.url))));
  });
  server.setNotFoundHandler((_request, reply) => {
    reply.hijack();
    send(reply, notFoundPage());
  });
  server.get('/api/openapi.json', () => openApiDocument('v1'));
  server.get('/__simulator/legacy-openapi.json', () => openApiDocument('legacy'));
  addControlRoutes(server, service);
  const ownOperations = service.settings.operations.map(ownRoutes);
  server.register(pluginFor('v1', [...API_ROUTES, ...ownOperations], service), { prefix: API_PATH });
  server.register(pluginFor('legacy', LEGACY_ROUTES, service), { prefix: LEGACY_PATH });
  return server;
}

/** Returns the plugin with the routes of a dialect, which checks the token of each request. */
function pluginFor(dialect: Dialect, routes: typeof API_ROUTES, service: Service): FastifyPluginCallback {
  const plugin: FastifyPluginCallback = (api, _options, done) => {
    api.addHook('onRequest', (request, _reply, next) => {
      if (request.routeOptions.config.tokenInBody !== true) service.account.checkToken(request.headers.authorization);
      next();
    });
    for (const one of routes) one.add(api, service);
    done();
  };
  // To derive a name, Fastify would search all loaded modules, which dominates start-up time in tests.
  return Object.assign(plugin, { [Symbol.for('fastify.display-name')]: dialect });
}

function dialectOf(url: string): Dialect {
  return url.startsWith(`${LEGACY_PATH}/`) && !url.startsWith(`${API_PATH}/`) ? 'legacy' : 'v1';
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
