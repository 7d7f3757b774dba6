import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PageAccess } from './access.ts';
import type { PageActions } from './actions.ts';
import { readAssets, SECURITY_HEADERS, withToken, type Asset } from './assets.ts';
import type { PostHandler } from './post-handler.ts';
import { postRoutes } from './post-routes.ts';
import { answerPost, sendError, sendJson } from './responses.ts';
import { getRoutes, type Route, type ViewOptions } from './routes.ts';

/** What the page shows, and what it may do. */
export interface PageOptions extends ViewOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** The actions behind the page's buttons. Default: none, the page is read-only. */
  readonly actions?: PageActions | undefined;
}

/** A running page server. */
export interface Page {
  /** The URL with a ticket that lets one browser in. */
  readonly address: string;
  /** Stops the server and drops all open connections. */
  close(): Promise<void>;
}

/**
 * A browser keeps six connections to a server, and a hidden tab keeps no stream open: this is enough for 40 browsers.
 */
const MAX_CONNECTIONS = 256;
const HOST = '127.0.0.1';

/**
 * Starts the page's HTTP server on loopback. Reading needs no API token, worker or Temporal server; the buttons run
 * {@link PageActions}. Rejects with a Node error code if the port is taken.
 */
export async function openPage(options: PageOptions, assets = readAssets()): Promise<Page> {
  const limits = { maxHeaderSize: 8_192, headersTimeout: 10_000, requestTimeout: 15_000 };
  // The port is known only once the server listens, and requests are checked against it.
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.destroy();
  const server = createServer(limits, (request, response) => {
    // A browser that disconnects must not end the command that serves the page.
    response.on('error', () => undefined);
    try {
      handle(request, response);
    } catch {
      response.destroy();
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  await once(server.listen(options.port ?? 0, HOST), 'listening');
  const access = new PageAccess((server.address() as AddressInfo).port);
  const { reader, words, actions } = options;
  const posts = actions === undefined ? new Map<string, PostHandler>() : postRoutes(reader, words, actions);
  handle = requestHandler({ access, assets, gets: getRoutes(options), posts });
  return {
    address: access.ticketUrl(options.batch === undefined ? '/' : `/batch?name=${encodeURIComponent(options.batch)}`),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Routing {
  readonly access: PageAccess;
  readonly assets: ReadonlyMap<string, Asset>;
  /** By path, like `posts`. */
  readonly gets: ReadonlyMap<string, Route>;
  readonly posts: ReadonlyMap<string, PostHandler>;
}

/** Checks each request's origin, and its session except for static files, and passes it on. */
function requestHandler({ access, assets, gets, posts }: Routing) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeaders(new Map(Object.entries(SECURITY_HEADERS)));
    const refuse = (status: number, message: string): void => {
      sendJson(response, status, { message });
    };
    const fail = (error: unknown): void => {
      sendError(response, error);
    };
    if (!access.isForThisServer(request)) {
      refuse(403, 'This is not for other sites.');
      return;
    }
    const address = `http://page${request.url ?? ''}`;
    if (!URL.canParse(address)) {
      refuse(404, 'There is nothing here.');
      return;
    }
    const { pathname, searchParams: query } = new URL(address);
    if (request.method === 'POST') {
      const post = posts.get(pathname);
      if (post === undefined) refuse(405, 'Only GET.');
      else if (!access.hasSession(request, query) || !access.isSameOriginPost(request))
        refuse(403, 'Only the page itself may ask for this.');
      else answerPost(request, response, post).catch(fail);
      return;
    }
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(405, 'Only GET and POST.');
      return;
    }
    const asset = assets.get(pathname);
    if (asset !== undefined) {
      sendAsset(access, asset, query.get('ticket'), response);
      return;
    }
    const route = gets.get(pathname);
    if (route === undefined) refuse(404, 'There is nothing here.');
    else if (!access.hasSession(request, query))
      refuse(
        401,
        'This address was used before, or is of an earlier start. Start `voxbatch page` again: it shows a new one.',
      );
    else route({ request, response, query }).catch(fail);
  };
}

/** Sends a static file. A valid ticket is exchanged for the session: a cookie, and a token in the page's head. */
function sendAsset(access: PageAccess, asset: Asset, ticket: string | null, response: ServerResponse): void {
  const cookie = access.redeemTicket(ticket);
  if (cookie !== undefined) response.setHeader('set-cookie', cookie);
  const body = cookie === undefined ? asset.body : withToken(asset.body, access.csrfToken);
  response.writeHead(200, { 'content-type': asset.type, 'content-length': body.length });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
