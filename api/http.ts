import type { Readable } from 'node:stream';
import axios, { AxiosHeaders } from 'axios';
import type { AgentPair } from './agents.ts';
import { BodyCut, guardBody, type GuardedBody } from './guard-body.ts';
import { observeTransport, type Progress } from './observe-transport.ts';
import type { BodyInfo } from './speech-api.ts';

/** One request, to be made once. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agents: AgentPair;
  /** From the start to the connection, DNS and TLS included, in ms. */
  readonly connectTimeoutMs: number;
  /** From the start to the end of the answer's head, in ms. */
  readonly headTimeoutMs: number;
  /** From the start to the end of the answer's body, in ms. */
  readonly totalTimeoutMs: number;
  /** Longest silence between two pieces of the body, in ms. */
  readonly idleTimeoutMs: number;
  /** Largest body that is read. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

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
  readonly guarded: GuardedBody;
}

/** Without the process-wide defaults and interceptors of axios: what is sent is what stands here. */
const client = axios.create({
  adapter: 'http',
  transformRequest: [(data: unknown): unknown => data],
  transformResponse: [],
  responseType: 'stream',
  maxRedirects: 0,
  maxBodyLength: -1,
  maxContentLength: -1,
  decompress: true,
  proxy: false,
  validateStatus: () => true,
});

/** Makes one request, once: no retry, no redirect, no proxy. Never throws. */
export async function openHttp(request: HttpRequest): Promise<AnswerHead | NoAnswer> {
  if (request.signal?.aborted === true) return { kind: 'no-answer', given: false, cause: 'cancelled' };

  const progress: Progress = { given: false, encoded: false };
  const stop = new AbortController();
  let stopped: string | undefined;
  let body: Readable | undefined;
  const stopFor = (cause: string): void => {
    stopped ??= cause;
    if (body === undefined) stop.abort();
    else body.destroy(new BodyCut(cause));
  };
  const cancel = (): void => {
    stopFor('cancelled');
  };
  const connecting = after(request.connectTimeoutMs, 'no connection', stopFor);
  const heading = after(request.headTimeoutMs, 'no answer', stopFor);
  const whole = after(request.totalTimeoutMs, 'no whole answer', stopFor);
  const release = (): void => {
    for (const timer of [connecting, heading, whole]) clearTimeout(timer);
    request.signal?.removeEventListener('abort', cancel);
  };
  request.signal?.addEventListener('abort', cancel, { once: true });

  try {
    const answer = await client.request<Readable>({
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body === undefined ? {} : { data: request.body }),
      httpAgent: request.agents.http,
      httpsAgent: request.agents.https,
      transport: observeTransport(progress, () => {
        clearTimeout(connecting);
      }),
      signal: stop.signal,
    });
    clearTimeout(heading);
    body = answer.data;
    const headers = AxiosHeaders.from(answer.headers as AxiosHeaders);
    const guarded = guardBody(body, { maxBytes: request.maxBytes, idleMs: request.idleTimeoutMs }, release);
    return {
      kind: 'answer',
      status: answer.status,
      header: (name) => asHeader(headers.get(name)),
      info: readInfo(headers, progress.encoded),
      guarded,
    };
  } catch (error) {
    release();
    const cause = stopped ?? nameError(error);
    return { kind: 'no-answer', given: progress.given, cause, code: cause.split(':', 1)[0] ?? cause };
  }
}

function after(ms: number, what: string, stopFor: (cause: string) => void): NodeJS.Timeout {
  return setTimeout(() => {
    stopFor(`time-out: ${what} within ${ms / 1000} s`);
  }, ms);
}

function readInfo(headers: AxiosHeaders, encoded: boolean): BodyInfo {
  const length = asHeader(headers.get('content-length')) ?? '';
  return {
    contentType: (asHeader(headers.get('content-type')) ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    ...(encoded || !/^\d{1,15}$/.test(length) ? {} : { contentLength: Number(length) }),
  };
}

function asHeader(value: unknown): string | undefined {
  if (Array.isArray(value)) return asHeader(value[0]);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** Names an error without its object: axios errors carry the request's headers, and with them the token. */
function nameError(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  // An error that stands for several (one per address of a host) has no message of its own.
  const words = typeof message === 'string' && message !== '' ? message : 'no connection';
  return typeof code === 'string' && !words.includes(code) ? `${code}: ${words}` : words;
}
