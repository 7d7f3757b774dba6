import { createHash } from 'node:crypto';
import { API_PATH } from '../contract/urls.ts';
import { defined } from '../contract/defined.ts';
import type { Dialect } from '../contract/dialects.ts';
import { type Agents, closeIdle, createAgents } from './agents.ts';
import { BadProxy, type Proxy, type ProxyFor, readProxies } from './proxies.ts';
import { type BaseUrl, readBaseUrl } from './base-url.ts';
import { createRedact, type Redact } from './failure-text.ts';
import { type Target, targetOf } from './exchange.ts';
import type { UploadBody } from './multipart.ts';
import { type Network, privacyOf, SYSTEM_NETWORK } from './network.ts';
import type { AnyDialectTable } from './dialects/dialect-table.ts';
import { DIALECT_TABLES } from './dialects/dialects.ts';
import type { FreeRequest, NotedRead } from './free-request.ts';
import { type AnswerHead, type NoAnswer, makeRequest } from './http.ts';

/** Settings of the client. */
export interface ApiOptions {
  /** Address of the service, ending in `/api/open/v1`; see `readBaseUrl` for what is accepted. */
  readonly baseUrl: string;
  /** Bearer token: visible ASCII characters. Sent to the origin of `baseUrl` and nowhere else. */
  readonly token: string;
  /** Default `v1`. */
  readonly dialect?: Dialect;
  /** Allows http to a host that is not loopback. Default false. */
  readonly allowHttp?: boolean;
  /** Time limit for a paid request, from its start to the end of its answer, in ms. Default 180,000. */
  readonly requestTimeoutMs?: number;
  /** Time limit for connecting, including DNS and TLS, in ms. Default 15,000. */
  readonly connectTimeoutMs?: number;
  /**
   * Time limit for a whole read, for the head of a download's answer, and for a silence inside any body, in ms. Default
   * 30,000.
   */
  readonly readTimeoutMs?: number;
  /**
   * Time limit for a download, in ms, plus a second for each KiB received, so that slow connections are tolerated.
   * Default 1,800,000 (half an hour).
   */
  readonly downloadTimeoutMs?: number;
  /** Largest answer that is JSON or text, in bytes. Default 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Largest media body, in bytes. Default 4 GiB. */
  readonly maxMediaBytes?: number;
  /** `User-Agent`, e.g. `voxbatch/0.1.0`. Some edge protections refuse unknown agents. Default `voxbatch`. */
  readonly userAgent?: string;
  /**
   * Name resolution, and the definition of private addresses. Default: the system's resolver and the public registries.
   */
  readonly network?: Network;
  /** Selects the proxy for a server. Default: from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly proxyFor?: ProxyFor | undefined;
  /**
   * Members that hold the result link of a completed job, if their name is not built in; see
   * `contract/result-member.ts`.
   */
  readonly resultMembers?: readonly string[];
  /** Called after each free request. */
  readonly onRead?: (read: NotedRead) => void;
  /** Connections to use; new ones by default. */
  readonly agents?: Agents;
}

/**
 * The connection to the API: base URL, token, limits, proxies and agents, shared by all requests of a client. It makes
 * requests, but does not interpret answers.
 */
export interface Connection extends BaseUrl {
  /** The dialect in use. */
  readonly dialect: AnyDialectTable;
  readonly redact: Redact;
  /** The proxy through which the API is reached. */
  readonly proxy: Proxy | undefined;
  readonly maxBodyBytes: number;
  readonly resultMembers: readonly string[];
  /** Logs a free request. */
  readonly noteRead: (read: NotedRead) => void;
  /** Sends one paid request to a path of its dialect: a JSON text, or a form from files. */
  post(path: string, body: string | UploadBody, options: PostOptions): Promise<AnswerHead | NoAnswer>;
  /** Makes one free request in its dialect. */
  request(request: FreeRequest, signal: AbortSignal | undefined): Promise<AnswerHead | NoAnswer>;
  /** Requests one URL of a result link or its redirects. */
  open(url: URL, options: OpenOptions): Promise<AnswerHead | NoAnswer>;
  /** Whether the API is in a private network, or on this machine. */
  isPrivate(): Promise<boolean>;
  readonly network: Network;
  /** The same connection, limits and token in another dialect. */
  speaking(dialect: Dialect): Connection;
  close(): void;
}

interface PostOptions {
  readonly idempotencyKey: string;
  /** True if the answer may be media. */
  readonly media: boolean;
  readonly signal: AbortSignal | undefined;
}

interface OpenOptions {
  /** True at the API's own origin: the token is sent along. */
  readonly isOwn: boolean;
  /** False: connect to no private address; the answer is `PRIVATE_HOST`. */
  readonly mayBePrivate: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Validates the settings and creates the shared state of all requests. Throws an Error that names the wrong setting,
 * never its secret; a `BadProxy` for those of a proxy.
 */
export function createConnection(options: ApiOptions): Connection {
  const base = readBaseUrl(options.baseUrl, options.allowHttp === undefined ? {} : { allowHttp: options.allowHttp });
  if (!/^[\x21-\x7e]+$/.test(options.token)) {
    throw new Error('The API token is empty or has spaces or characters that no header can carry.');
  }
  const network = options.network ?? SYSTEM_NETWORK;
  const proxyFor = 'proxyFor' in options ? options.proxyFor : readProxies(process.env);
  const agents = options.agents ?? createAgents({ network, proxyFor });
  const target = targetOf(new URL(base.baseUrl));
  const proxy = proxyToApi(target, proxyFor);
  const limits = limitsOf(options);
  const wire: Wire = {
    basePath: base.baseUrl.slice(base.origin.length),
    target,
    agents,
    limits,
    headers: headersOf(options),
  };
  const shared = {
    ...base,
    redact: createRedact(options.token),
    proxy,
    noteRead: options.onRead ?? (() => undefined),
    maxBodyBytes: limits.maxBodyBytes,
    resultMembers: options.resultMembers ?? [],
    open: opener(wire),
    isPrivate: privacyOf(network, target.hostname),
    network,
    close: () => {
      closeIdle(agents);
    },
  };
  const speaking = (dialect: Dialect): Connection => {
    const table = DIALECT_TABLES[dialect];
    const begin = table.begin === 'base' ? wire.basePath : wire.basePath.slice(0, -API_PATH.length);
    return { ...shared, dialect: table, post: poster(wire, begin), request: requester(wire, begin), speaking };
  };
  return speaking(options.dialect ?? 'v1');
}

/** What all requests share, prepared once because there are many requests. */
interface Wire {
  readonly basePath: string;
  readonly target: Target;
  readonly agents: Agents;
  readonly limits: ReturnType<typeof limitsOf>;
  readonly headers: ReturnType<typeof headersOf>;
}

function limitsOf(options: ApiOptions) {
  const idleTimeoutMs = options.readTimeoutMs ?? 30_000;
  return {
    every: { connectTimeoutMs: options.connectTimeoutMs ?? 15_000, idleTimeoutMs },
    readMs: idleTimeoutMs,
    paidMs: options.requestTimeoutMs ?? 180_000,
    downloadMs: options.downloadTimeoutMs ?? 30 * 60_000,
    maxBodyBytes: options.maxBodyBytes ?? 16 * 1024 ** 2,
    maxMediaBytes: options.maxMediaBytes ?? 4 * 1024 ** 3,
  };
}

function headersOf({ token, userAgent }: ApiOptions) {
  const any = { 'User-Agent': userAgent ?? 'voxbatch', ...UNCOMPRESSED };
  const bearer = { Authorization: `Bearer ${token}` };
  const json = { ...any, ...bearer, Accept: 'application/json' };
  const link = { ...any, Accept: 'audio/*, video/*, application/octet-stream, */*;q=0.5' };
  return { json, media: { ...json, Accept: 'audio/*, application/json' }, link, ownLink: { ...link, ...bearer } };
}

/** Returns the `post` of a connection. `begin`: prefix of the dialect's paths. */
function poster({ agents, headers, limits, target }: Wire, begin: string): Connection['post'] {
  return (path, body, { idempotencyKey, media, signal }) => {
    const isText = typeof body === 'string';
    const limitMs = limits.paidMs + (isText ? 0 : body.bytes * UPLOAD_MS_PER_BYTE);
    return makeRequest({
      ...limits.every,
      method: 'POST',
      target,
      path: begin + path,
      body: isText ? body : body.stream(),
      headers: {
        ...(media ? headers.media : headers.json),
        ...(isText ? JSON_BODY : { 'Content-Type': body.contentType, 'Content-Length': String(body.bytes) }),
        'Idempotency-Key': asHeaderValue(idempotencyKey),
      },
      agents: agents.paid,
      isPaid: true,
      headTimeoutMs: limitMs,
      totalTimeoutMs: limitMs,
      maxBytes: media ? limits.maxMediaBytes : limits.maxBodyBytes,
      signal,
    });
  };
}

/** Extra time for a request with files, ms per byte: an uplink of half a megabit per second must suffice. */
const UPLOAD_MS_PER_BYTE = 1 / 64;

function requester({ agents, headers, limits, target }: Wire, begin: string): Connection['request'] {
  return ({ method, path, body, isChange }, signal) =>
    makeRequest({
      ...limits.every,
      method,
      target,
      path: begin + path,
      headers: body === undefined ? headers.json : { ...headers.json, ...JSON_BODY },
      ...defined({ body }),
      // A kept-alive connection may be dead, and a change must not be sent twice.
      agents: isChange === true ? agents.paid : agents.free,
      headTimeoutMs: limits.readMs,
      totalTimeoutMs: limits.readMs,
      maxBytes: limits.maxBodyBytes,
      signal,
    });
}

function opener({ agents, headers, limits }: Wire): Connection['open'] {
  return (url, { isOwn, mayBePrivate, signal }) =>
    makeRequest({
      ...limits.every,
      method: 'GET',
      target: targetOf(url),
      path: url.pathname + url.search,
      headers: isOwn ? headers.ownLink : headers.link,
      agents: mayBePrivate ? agents.free : agents.outside,
      headTimeoutMs: limits.readMs,
      totalTimeoutMs: limits.downloadMs,
      msPerKib: 1_000,
      maxBytes: limits.maxMediaBytes,
      signal,
    });
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** Media must have the length that they declare, and JSON is too short here for compression to pay off. */
const UNCOMPRESSED = { 'Accept-Encoding': 'identity' };

/** Headers allow fewer characters than batch names, so such a key is replaced by its hash, which is just as stable. */
function asHeaderValue(key: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(key) ? key : `voxbatch-${createHash('sha256').update(key).digest('hex')}`;
}

/**
 * The proxy to the API, if there is one.
 * @throws BadProxy if its setting cannot be used, or if the proxy would see the token, as it sees all traffic to a
 * plain http address
 */
function proxyToApi({ protocol, hostname, port }: Target, proxyFor: ProxyFor | undefined): Proxy | undefined {
  const usual = protocol === 'https:' ? 443 : 80;
  const proxy = proxyFor?.({ protocol, hostname, port: port === '' ? usual : Number(port) });
  if (proxy instanceof BadProxy) throw proxy;
  if (proxy === undefined || protocol === 'https:') return proxy;
  throw new BadProxy(
    `The API address uses http, so the proxy ${proxy.name} of ${proxy.variable} would see the token. ` +
      `Use https, or add ${hostname} to NO_PROXY.`,
  );
}
