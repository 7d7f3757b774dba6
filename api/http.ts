import type { IncomingMessage } from 'node:http';
import axios, { AxiosHeaders, type AxiosAdapter } from 'axios';
import type { AnswerBody } from './answer-body.ts';
import { Exchange, type HttpRequest, type RawAnswer } from './exchange.ts';
import type { BodyInfo } from './speech-api.ts';

/** No answer came. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  /** False only if it is certain that no request byte was given to a connected socket. */
  readonly given: boolean;
  /** What happened, e.g. `ECONNREFUSED` or `time-out`; for a sentence like "no answer from host (…)". */
  readonly cause: string;
  /** The same in a word, e.g. `ECONNREFUSED` or `time-out`; the same for all addresses and times. */
  readonly code?: string;
}

/** The head of an answer; the body is still to be read. It must be read to its end or destroyed. */
export interface AnswerHead {
  readonly kind: 'answer';
  readonly status: number;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly info: BodyInfo;
  readonly body: AnswerBody;
  /** The IP address that it came from; undefined where the connection is gone. */
  remoteAddress(): string | undefined;
}

/** Makes a free request, once: no retry, no redirect, no proxy. Never throws. */
export function openFree(request: HttpRequest): Promise<AnswerHead | NoAnswer> {
  return open(request, (exchange) => exchange.run());
}

/** Makes a paid request as {@link openFree} does, by way of axios. */
export function openPaid(request: HttpRequest): Promise<AnswerHead | NoAnswer> {
  return open(request, (exchange) => viaAxios(request, exchange));
}

const client = axios.create();
// Without the process-wide defaults of axios: what is sent is what a request names, and merging nothing is cheap.
for (const name of Object.keys(client.defaults)) Reflect.deleteProperty(client.defaults, name);
const NO_HEADERS = new AxiosHeaders();

/** What axios costs, and why free requests do without it: docs/decisions/http.md. */
async function viaAxios({ method, target, path, body }: HttpRequest, exchange: Exchange): Promise<RawAnswer> {
  // The headers are not for axios: its errors carry what it knows, and the token is among them.
  const adapter: AxiosAdapter = async (config) => {
    const data = await exchange.run();
    return { data, status: data.message.statusCode ?? 0, statusText: '', headers: NO_HEADERS, config };
  };
  const { data } = await client.request<RawAnswer>({ method, url: target.origin + path, data: body, adapter });
  return data;
}

async function open(
  request: HttpRequest,
  run: (exchange: Exchange) => Promise<RawAnswer>,
): Promise<AnswerHead | NoAnswer> {
  if (request.signal?.aborted === true) {
    return { kind: 'no-answer', given: false, cause: 'cancelled', code: 'cancelled' };
  }
  const exchange = new Exchange(request);
  try {
    return readHead(await run(exchange));
  } catch (error) {
    exchange.over();
    const cause = exchange.stopped ?? nameError(error);
    return { kind: 'no-answer', given: exchange.given, cause, code: cause.split(':', 1)[0] ?? cause };
  }
}

function readHead({ message, body, isEncoded }: RawAnswer): AnswerHead {
  const { headers, statusCode: status = 0 } = message;
  return {
    kind: 'answer',
    status,
    header: (name) => asOne(headers[name]),
    info: readInfo(headers, isEncoded),
    body,
    remoteAddress: () => message.socket.remoteAddress,
  };
}

function readInfo(headers: IncomingMessage['headers'], isEncoded: boolean): BodyInfo {
  const length = headers['content-length'] ?? '';
  return {
    contentType: (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    ...(isEncoded || !/^\d{1,15}$/.test(length) ? {} : { contentLength: Number(length) }),
  };
}

function asOne(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Names an error without its object, which may carry more than is to be told. */
function nameError(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  // An error that stands for several (one per address of a host) has no message of its own.
  const words = typeof message === 'string' && message !== '' ? message : 'no connection';
  return typeof code === 'string' && !words.includes(code) ? `${code}: ${words}` : words;
}
