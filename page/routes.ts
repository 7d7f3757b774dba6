import type { IncomingMessage, ServerResponse } from 'node:http';
import { VoicesCache } from '../client/voices/batch-voices.ts';
import { EndChart } from '../client/status/end-chart.ts';
import type { Reader } from '../client/status/open-reader.ts';
import { RowRanks } from '../client/rows/row-ranks.ts';
import { chooseBatch } from '../client/open-records.ts';
import type { EndFigures } from '../contract/batch-figures.ts';
import {
  readBatches,
  readReasons,
  readRow,
  readScheduleStates,
  readSchedules,
  readUnknown,
  readVoices,
  type PageWords,
} from './answers.ts';
import { wire } from './json.ts';
import type { SessionAnswer } from './protocol.ts';
import { sendJson } from './responses.ts';
import { isIndexed, readMessages, readRows } from './row-answers.ts';
import { sendMedia } from './send-media.ts';
import { shareInFlight, SlowQueue, TooManyRequests, type Priority } from './slow-queue.ts';
import { StatusFeeds } from './status-feeds.ts';

/** What the page shows. */
export interface ViewOptions {
  readonly reader: Reader;
  readonly words: PageWords;
  /** The batch that is shown first. Default: the list of all batches. */
  readonly batch?: string | undefined;
  /** The version of voxbatch that answers. */
  readonly version: string;
}

/** A GET request whose session was checked. */
interface Get {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
}

/** Answers one GET request. Rejects with what `sendError` turns into an error answer. */
export type Route = (get: Get) => Promise<void>;

type SlowQuery = (ledger: Reader['ledger'], query: URLSearchParams) => Promise<unknown>;

/**
 * Returns what the page answers to GET requests, by path. Queries that an index serves use the reader's ledger at once;
 * those that may scan a table go through one {@link SlowQueue} on a ledger connection of its own.
 */
export function getRoutes({ reader, words, batch, version }: ViewOptions): ReadonlyMap<string, Route> {
  const charts = new Map<string, EndChart>();
  const queue = new SlowQueue();
  const ranks = new RowRanks();
  const voices = new VoicesCache();
  const session: SessionAnswer = { version };

  const fast =
    (read: (query: URLSearchParams) => Promise<unknown>): Route =>
    async ({ response, query }) => {
      sendJson(response, 200, await read(query));
    };
  const slow =
    (read: SlowQuery, priority: Priority = 'high'): Route =>
    async ({ response, query }) => {
      const isWanted = (): boolean => !response.destroyed;
      const found = await queue.run(priority, isWanted, async () => ({
        value: await read(await reader.slow(), query),
      }));
      if (found !== undefined) sendJson(response, 200, found.value);
    };
  const chart = async (ledger: Reader['ledger'], query: URLSearchParams): Promise<EndFigures | null> => {
    const record = await chooseBatch(ledger, batchIn(query));
    const known = charts.get(record.name) ?? new EndChart();
    charts.set(record.name, known);
    return wire(await known.read(ledger, record));
  };
  const rows = (ledger: Reader['ledger'], query: URLSearchParams): Promise<unknown> =>
    readRows(ledger, ranks, batchIn(query), query);
  const indexedRows = fast((query) => rows(reader.ledger, query));
  const searchedRows = slow(rows);

  if (batch !== undefined) {
    // The chart is the slowest answer, so it is begun before the browser asks for it. It is asked again if this fails.
    const prepare = async (): Promise<unknown> => chart(await reader.slow(), new URLSearchParams({ batch }));
    void queue.run('low', () => true, prepare).catch(() => undefined);
  }

  return new Map<string, Route>([
    ['/api/session', fast(() => Promise.resolve(session))],
    ['/api/batches', slow(() => readBatches(reader, words))],
    ['/api/unknown', slow(() => readUnknown(reader, words))],
    ['/api/schedule-states', fast(shareInFlight(() => readScheduleStates(reader)))],
    ['/api/schedules', slow(() => readSchedules(reader))],
    ['/api/reasons', fast((query) => readReasons(reader, batchIn(query)))],
    ['/api/chart', slow(chart, 'low')],
    ['/api/messages', slow((ledger, query) => readMessages(ledger, batchIn(query), query), 'low')],
    ['/api/voices', slow((ledger, query) => readVoices(ledger, voices, batchIn(query)), 'low')],
    ['/api/rows', (get) => (isIndexed(get.query) ? indexedRows(get) : searchedRows(get))],
    [
      '/api/row',
      fast(async (query) => {
        const { name } = await chooseBatch(reader.ledger, batchIn(query));
        return (await readRow(reader, words, name, query.get('id') ?? '')) ?? null;
      }),
    ],
    ['/api/stream', streamRoute(reader, new StatusFeeds(reader, words))],
    ['/api/media', ({ request, response, query }) => sendMedia(reader, query, request, response)],
  ]);
}

function batchIn(query: URLSearchParams): string {
  return query.get('batch') ?? '';
}

/** Open streams at a time. */
const MAX_STREAMS = 64;
/** Bytes that a tab may leave unread before its stream is ended. */
const MAX_UNREAD_BYTES = 1_000_000;
/** Interval of the comments that keep an unchanging stream open, ms. */
const HEARTBEAT_MS = 15_000;

/** Answers with server-sent events: the batch's status, now and after each change. */
function streamRoute(reader: Reader, feeds: StatusFeeds): Route {
  let streams = 0;
  return async ({ request, response, query }) => {
    const { name } = await chooseBatch(reader.ledger, batchIn(query));
    // A connection closed by now emits no further 'close', so its stream would be counted for ever.
    if (response.destroyed || request.socket.destroyed) return;
    if (streams >= MAX_STREAMS) throw new TooManyRequests('Too many tabs show news.');
    streams += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (text: string): void => {
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
      else if (!response.destroyed) response.write(text);
    };
    const unsubscribe = feeds.subscribe(name, (event, json) => {
      write(`event: ${event}\ndata: ${json}\n\n`);
    });
    const heartbeat = setInterval(() => {
      write(': still here\n\n');
    }, HEARTBEAT_MS).unref();
    // A stream may be silent for longer than the server's time limits.
    request.socket.setTimeout(0);
    response.once('close', () => {
      streams -= 1;
      clearInterval(heartbeat);
      unsubscribe();
    });
  };
}
