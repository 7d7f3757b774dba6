import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KnownVoices } from '../client/look/batch-voices.ts';
import { EndChart } from '../client/look/end-chart.ts';
import type { Reader } from '../client/look/open-reader.ts';
import { RowRanks } from '../client/look/row-ranks.ts';
import { chooseBatch } from '../client/open-records.ts';
import type { PageActions } from './actions.ts';
import { answerPost, sendError, sendJson } from './send.ts';
import type { Post } from './post-body.ts';
import {
  readBatches,
  readReasons,
  readRow,
  readSchedules,
  readStandings,
  readUnknown,
  readVoices,
  type PageWords,
} from './answers.ts';
import { isQuick, readMessages, readRows } from './row-answers.ts';
import { readAssets, SECURITY_HEADERS, withToken } from './assets.ts';
import { StatusFeeds } from './feeds.ts';
import { Gate } from './gate.ts';
import { postsOf } from './posts.ts';
import type { EndFigures } from '../contract/batch-figures.ts';
import type { SessionAnswer } from './protocol.ts';
import { QueueFull, SlowQueue, shared, type Importance } from './queue.ts';
import { sendMedia } from './send-media.ts';
import { wire } from './wire.ts';

/** What the page shows, and to whom. */
export interface PageOptions {
  readonly reader: Reader;
  readonly words: PageWords;
  /** The batch that is shown first. Default: the list of all. */
  readonly batch?: string | undefined;
  /** Default: any that is free. */
  readonly port?: number | undefined;
  readonly version: string;
  /** What may be done from the page. Default: nothing, it only shows. */
  readonly actions?: PageActions | undefined;
}

/** An open page. */
export interface Page {
  /** Lets one browser in. */
  readonly address: string;
  /** Ends it at once, whatever is open. */
  close(): Promise<void>;
}

/** Connections at a time: a browser keeps six, and a tab that is not looked at keeps none. */
const MOST_CONNECTIONS = 256;
/** Streams of news at a time. */
const MOST_STREAMS = 64;
/** News that a tab has not taken, in bytes, before its stream is ended. */
const MOST_UNREAD = 1_000_000;
const HEARTBEAT_MS = 15_000;
const HOST = '127.0.0.1';

/** One request, with what it asks for. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
}

/**
 * Opens the page on loopback. Looking needs no token, no worker and no Temporal server; its
 * buttons run the commands of {@link PageActions}. Rejects with a code if the
 * port is taken.
 */
export async function openPage(options: PageOptions, assets = readAssets()): Promise<Page> {
  const limits = { maxHeaderSize: 8_192, headersTimeout: 10_000, requestTimeout: 15_000 };
  let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.destroy();
  const server = createServer(limits, (request, response) => {
    // A browser that hangs up is no fault of the command that the page runs in.
    response.on('error', () => undefined);
    try {
      answer(request, response);
    } catch {
      response.destroy();
    }
  });
  server.maxConnections = MOST_CONNECTIONS;
  await once(server.listen(options.port ?? 0, HOST), 'listening');
  const gate = new Gate((server.address() as AddressInfo).port);
  const routes = routesOf(options);
  const posts =
    options.actions === undefined ? new Map<string, Post>() : postsOf(options.reader, options.words, options.actions);

  answer = (request, response) => {
    response.setHeaders(new Map(Object.entries(SECURITY_HEADERS)));
    const refuse = (status: number, message: string): void => {
      sendJson(response, status, { message });
    };
    if (!gate.isMeant(request)) {
      refuse(403, 'This is not for other sites.');
      return;
    }
    const address = `http://page${request.url ?? ''}`;
    if (!URL.canParse(address)) {
      refuse(404, 'There is nothing here.');
      return;
    }
    const url = new URL(address);
    const asset = assets.get(url.pathname);
    if (request.method === 'POST') {
      const post = posts.get(url.pathname);
      if (post === undefined) refuse(405, 'Only GET.');
      else if (!gate.knows(request, url.searchParams) || !gate.isOwnPost(request))
        refuse(403, 'Only the page itself may ask for this.');
      else
        answerPost(request, response, post).catch((error: unknown) => {
          sendError(response, error);
        });
      return;
    }
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(405, 'Only GET and POST.');
      return;
    }
    if (asset !== undefined) {
      const cookie = gate.redeem(url.searchParams.get('ticket'));
      if (cookie !== undefined) response.setHeader('set-cookie', cookie);
      const body = cookie === undefined ? asset.body : withToken(asset.body, gate.csrf);
      response.writeHead(200, { 'content-type': asset.type, 'content-length': body.length });
      response.end(request.method === 'HEAD' ? undefined : body);
      return;
    }
    const route = routes.get(url.pathname);
    if (route === undefined) refuse(404, 'There is nothing here.');
    else if (!gate.knows(request, url.searchParams))
      refuse(
        401,
        'This address was used before, or is of an earlier start. Start `voxbatch page` again: it shows a new one.',
      );
    else
      route({ request, response, query: url.searchParams }).catch((error: unknown) => {
        sendError(response, error);
      });
  };
  return {
    address: gate.address(options.batch === undefined ? '/' : `/batch?name=${encodeURIComponent(options.batch)}`),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

type Route = (asked: Asked) => Promise<void>;

function routesOf({ reader, words, batch, version }: PageOptions): ReadonlyMap<string, Route> {
  const feeds = new StatusFeeds(reader, words);
  const charts = new Map<string, EndChart>();
  const queue = new SlowQueue();
  let streams = 0;

  const json =
    (ask: (query: URLSearchParams) => Promise<unknown>): Route =>
    async ({ response, query }) => {
      sendJson(response, 200, await ask(query));
    };
  const slowly =
    (
      ask: (ledger: Reader['ledger'], query: URLSearchParams) => Promise<unknown>,
      importance: Importance = 'first',
    ): Route =>
    async ({ response, query }) => {
      const found = await queue.run(
        importance,
        () => !response.destroyed,
        async () => ({ value: await ask(await reader.slow(), query) }),
      );
      if (found !== undefined) sendJson(response, 200, found.value);
    };
  const name = (query: URLSearchParams): string => query.get('batch') ?? '';
  const ranks = new RowRanks();
  const voices = new KnownVoices();
  const rows = slowly((ledger, query) => readRows(ledger, ranks, name(query), query));

  const session = (): SessionAnswer => ({ version });
  const chart = async (ledger: Reader['ledger'], query: URLSearchParams): Promise<EndFigures | null> => {
    const record = await chooseBatch(ledger, name(query));
    const known = charts.get(record.name) ?? new EndChart();
    charts.set(record.name, known);
    return wire(await known.look(ledger, record));
  };
  // It takes longest of all, so it begins while a person goes to the browser.
  if (batch !== undefined)
    void queue
      .run(
        'later',
        () => true,
        async () => chart(await reader.slow(), new URLSearchParams({ batch })),
      )
      .catch(() => undefined);
  const stream = async ({ request, response, query }: Asked): Promise<void> => {
    const { name: shown } = await chooseBatch(reader.ledger, name(query));
    // Whoever has hung up meanwhile is told nothing, and would never be counted off.
    if (response.destroyed || request.socket.destroyed) return;
    if (streams >= MOST_STREAMS) throw new QueueFull('Too many tabs show news.');
    streams += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (text: string): void => {
      if (response.writableLength > MOST_UNREAD) response.destroy();
      else if (!response.destroyed) response.write(text);
    };
    const end = feeds.listen(shown, (event, text) => {
      write(`event: ${event}\ndata: ${text}\n\n`);
    });
    const beat = setInterval(() => {
      write(': still here\n\n');
    }, HEARTBEAT_MS).unref();
    request.socket.setTimeout(0);
    response.once('close', () => {
      streams -= 1;
      clearInterval(beat);
      end();
    });
  };

  return new Map<string, Route>([
    ['/api/session', json(() => Promise.resolve(session()))],
    ['/api/batches', slowly(() => readBatches(reader, words))],
    ['/api/unknown', slowly(() => readUnknown(reader, words))],
    ['/api/schedule-standings', json(shared(() => readStandings(reader)))],
    ['/api/schedules', slowly(() => readSchedules(reader))],
    ['/api/reasons', json((query) => readReasons(reader, name(query)))],
    ['/api/chart', slowly(chart, 'later')],
    ['/api/messages', slowly((ledger, query) => readMessages(ledger, name(query), query), 'later')],
    ['/api/voices', slowly((ledger, query) => readVoices(ledger, voices, name(query)), 'later')],
    [
      '/api/rows',
      (asked) =>
        isQuick(asked.query) ? json((query) => readRows(reader.ledger, ranks, name(query), query))(asked) : rows(asked),
    ],
    [
      '/api/row',
      json(async (query) => {
        const { name: of } = await chooseBatch(reader.ledger, name(query));
        return (await readRow(reader, words, of, query.get('id') ?? '')) ?? null;
      }),
    ],
    ['/api/stream', stream],
    ['/api/media', ({ request, response, query }) => sendMedia(reader, query, request, response)],
  ]);
}
