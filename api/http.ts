import type { IncomingMessage } from 'node:http';
import type { AnswerBody } from './answer-body.ts';
import { Exchange, type HttpRequest, type RawAnswer } from './exchange.ts';
import type { BodyInfo } from './speech-api.ts';
import { isTunnelled } from './tunnel-agents.ts';
import type { AxiosAdapter, AxiosInstance, AxiosResponse } from 'axios';

/** No answer came. */
export interface NoAnswer {
  readonly type: 'no-answer';
  /** False only if certainly no byte of the request was written to a connected socket. */
  readonly mayBeSent: boolean;
  /** What happened, e.g. `ECONNREFUSED` or `time-out`; for a sentence like "no answer from host (…)". */
  readonly cause: string;
  /** The cause without addresses and times, for counting: `ECONNREFUSED`, `time-out`. */
  readonly code?: string;
}

/** The head of an answer, whose body has not been read yet. Read it to its end or destroy it. */
export interface AnswerHead {
  readonly type: 'answer';
  readonly status: number;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly info: BodyInfo;
  readonly body: AnswerBody;
  /** The sender's IP address; undefined once the connection is gone, or if only a proxy knows it. */
  remoteAddress(): string | undefined;
}

/**
 * Max wait for the HTTP client, in ms. A paid request that waits longer is not sent, because its intent would be too
 * old.
 */
const MAX_LOAD_MS = 2_000;

/** Makes a request once: no retry, no redirect; a paid one goes through axios. Never throws. */
export async function makeRequest(request: HttpRequest): Promise<AnswerHead | NoAnswer> {
  const client = request.isPaid === true ? await paidClient() : undefined;
  if (client !== undefined && 'type' in client) return client;
  if (request.signal?.aborted === true) {
    return { type: 'no-answer', mayBeSent: false, cause: 'cancelled', code: 'cancelled' };
  }
  const exchange = new Exchange(request);
  try {
    return readHead(await (client === undefined ? exchange.run() : viaAxios(client, request, exchange)));
  } catch (error) {
    exchange.over();
    const cause = exchange.stopped ?? nameError(error);
    return { type: 'no-answer', mayBeSent: exchange.mayBeSent, cause, code: cause.split(':', 1)[0] ?? cause };
  }
}

/** Returns the client for paid requests, or a `NoAnswer` if it cannot be loaded in time. */
async function paidClient(): Promise<Awaited<ReturnType<typeof loadAxios>> | NoAnswer> {
  const asked = performance.now();
  const notSent = (cause: string): NoAnswer => ({ type: 'no-answer', mayBeSent: false, cause, code: 'no client' });
  try {
    const client = await loadAxios();
    // The caller checked the age of the intent right before this call (`policy/pacing/send-deadline.ts`).
    return performance.now() - asked > MAX_LOAD_MS ? notSent('the HTTP client took too long to load') : client;
  } catch (error) {
    return notSent(nameError(error));
  }
}

function readHead({ message, body, isEncoded }: RawAnswer): AnswerHead {
  const { headers, statusCode: status = 0 } = message;
  return {
    type: 'answer',
    status,
    header: (name) => asOne(headers[name]),
    info: readInfo(headers, isEncoded),
    body,
    remoteAddress: () => (isTunnelled(message.socket) ? undefined : message.socket.remoteAddress),
  };
}

function readInfo(headers: IncomingMessage['headers'], isEncoded: boolean): BodyInfo {
  const length = headers['content-length'] ?? '';
  return {
    contentType: (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    ...(isEncoded || !/^\d{1,15}$/.test(length) ? {} : { contentLength: Number(length) }),
  };
}

/** Returns the first value of a repeated header. */
function asOne(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Names an error without its object, which may hold more than should be shown. */
function nameError(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  // An aggregate error (one per address of a host) has no message of its own.
  const words = typeof message === 'string' && message !== '' ? message : 'no connection';
  return typeof code === 'string' && !words.includes(code) ? `${code}: ${words}` : words;
}

/** axios, and empty headers for the answers that it passes through, because nobody reads them there. */
interface Client {
  readonly axios: AxiosInstance;
  readonly noHeaders: AxiosResponse['headers'];
}

let loading: Promise<Client> | undefined;

/**
 * Loads axios once. Call it as soon as paid requests are expected: it takes 8 ms of CPU (bundled), which fit into the
 * time of the first read. Rejects if axios cannot be loaded.
 */
export async function loadAxios(): Promise<Client> {
  try {
    return await (loading ??= load());
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function load(): Promise<Client> {
  const { default: axios, AxiosHeaders } = await import('axios');
  const client = axios.create();
  // Without the process-wide defaults of axios: a request sends only what it names, and merging nothing is cheap.
  for (const name of Object.keys(client.defaults)) Reflect.deleteProperty(client.defaults, name);
  return { axios: client, noHeaders: new AxiosHeaders() };
}

/** Runs an exchange as an axios adapter. Its cost, and why free requests do without it: docs/decisions/http.md. */
async function viaAxios(
  { axios, noHeaders }: Client,
  { method, target, path }: HttpRequest,
  exchange: Exchange,
): Promise<RawAnswer> {
  // Do not give axios the headers: its errors contain what it knows, and the headers contain the token.
  const adapter: AxiosAdapter = async (config) => {
    const data = await exchange.run();
    return { data, status: data.message.statusCode ?? 0, statusText: '', headers: noHeaders, config };
  };
  const { data } = await axios.request<RawAnswer>({ method, url: target.origin + path, adapter });
  return data;
}
