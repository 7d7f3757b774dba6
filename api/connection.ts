import { createHash } from 'node:crypto';
import { type Agents, closeIdle, createAgents } from './agents.ts';
import { type BaseUrl, readBaseUrl } from './base-url.ts';
import { createRedact, type Redact } from './failure-text.ts';
import { targetOf } from './exchange.ts';
import { isPrivateLiteral, type Network, PRIVATE_HOST, privacyOf, SYSTEM_NETWORK } from './network.ts';
import { type AnswerHead, type NoAnswer, openFree, openPaid } from './http.ts';

/** Settings of the client. */
export interface ApiOptions {
  /** Address of the service, ending in `/api/open/v1`; see `readBaseUrl` for what is accepted. */
  readonly baseUrl: string;
  /** Bearer token: visible ASCII characters. Sent to the origin of `baseUrl` and nowhere else. */
  readonly token: string;
  /** Allows http to a host that is not loopback. Default false. */
  readonly allowHttp?: boolean;
  /** Longest time for a paid request, from its start to the end of its answer, in ms. Default 180,000. */
  readonly requestTimeoutMs?: number;
  /** Longest time to get a connection, DNS and TLS included, in ms. Default 15,000. */
  readonly connectTimeoutMs?: number;
  /**
   * Longest time for a read, whole; for the head of a download's answer; and for a silence inside any body, in ms.
   * Default 30,000.
   */
  readonly readTimeoutMs?: number;
  /** Longest time for a download, in ms, beside a second for each KiB that came: a slow line is no fault. Default 1,800,000 (half an hour). */
  readonly downloadTimeoutMs?: number;
  /** Largest answer that is JSON or text, in bytes. Default 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Largest media body, in bytes. Default 4 GiB. */
  readonly maxMediaBytes?: number;
  /** `User-Agent`, e.g. `voxbatch/0.1.0`. Some edge protections refuse agents that they don't know. Default `voxbatch`. */
  readonly userAgent?: string;
  /** How names are resolved, and which addresses are private. Default: as this machine does it, and by the public registries. */
  readonly network?: Network;
  /** Connections; made anew by default. */
  readonly agents?: Agents;
}

/** What every request of a client shares. */
export interface Connection extends BaseUrl {
  readonly redact: Redact;
  readonly maxBodyBytes: number;
  /** Sends one paid request. */
  post(path: string, body: string, options: PostOptions): Promise<AnswerHead | NoAnswer>;
  /** Reads a path under the base address. */
  get(pathAndQuery: string, signal: AbortSignal | undefined): Promise<AnswerHead | NoAnswer>;
  /** Asks for one address of a result link's way. */
  open(url: URL, options: OpenOptions): Promise<AnswerHead | NoAnswer>;
  /** Whether the API is in a private network, or on this machine. */
  isPrivate(): Promise<boolean>;
  readonly isPrivateAddress: (address: string) => boolean;
  close(): void;
}

interface PostOptions {
  readonly idempotencyKey: string;
  /** True where the answer may be media. */
  readonly media: boolean;
  readonly signal: AbortSignal | undefined;
}

interface OpenOptions {
  /** True at the API's own origin: the token goes along. */
  readonly isOwn: boolean;
  /** False: no connection is made to a private address, unless it is the API's own origin; the answer is `PRIVATE_HOST`. */
  readonly mayBePrivate: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Checks the settings and makes what all requests share. Throws an Error that names the wrong setting, never its secret. */
export function createConnection(options: ApiOptions): Connection {
  const base = readBaseUrl(options.baseUrl, options.allowHttp === undefined ? {} : { allowHttp: options.allowHttp });
  if (!/^[\x21-\x7e]+$/.test(options.token)) {
    throw new Error('The API token is empty or has spaces or characters that no header can carry.');
  }
  const network = options.network ?? SYSTEM_NETWORK;
  const agents = options.agents ?? createAgents({ network });
  const readMs = options.readTimeoutMs ?? 30_000;
  const paidMs = options.requestTimeoutMs ?? 180_000;
  const maxBodyBytes = options.maxBodyBytes ?? 16 * 1024 ** 2;
  const maxMediaBytes = options.maxMediaBytes ?? 4 * 1024 ** 3;
  const target = targetOf(new URL(base.baseUrl));
  const basePath = base.baseUrl.slice(base.origin.length);
  const bearer = { Authorization: `Bearer ${options.token}` };
  const any = { 'User-Agent': options.userAgent ?? 'voxbatch', ...UNCOMPRESSED };
  const jsonHeaders = { ...any, ...bearer, Accept: 'application/json' };
  const mediaHeaders = { ...jsonHeaders, Accept: 'audio/*, application/json' };
  const linkHeaders = { ...any, Accept: 'audio/*, video/*, application/octet-stream, */*;q=0.5' };
  const limits = { connectTimeoutMs: options.connectTimeoutMs ?? 15_000, idleTimeoutMs: readMs };

  return {
    ...base,
    redact: createRedact(options.token),
    maxBodyBytes,
    post: (path, body, { idempotencyKey, media, signal }) =>
      openPaid({
        ...limits,
        method: 'POST',
        target,
        path: basePath + path,
        body,
        headers: {
          ...(media ? mediaHeaders : jsonHeaders),
          'Content-Type': 'application/json',
          'Idempotency-Key': asHeaderValue(idempotencyKey),
        },
        agents: agents.paid,
        isPaid: true,
        headTimeoutMs: paidMs,
        totalTimeoutMs: paidMs,
        maxBytes: media ? maxMediaBytes : maxBodyBytes,
        signal,
      }),
    get: (pathAndQuery, signal) =>
      openFree({
        ...limits,
        method: 'GET',
        target,
        path: basePath + pathAndQuery,
        headers: jsonHeaders,
        agents: agents.free,
        headTimeoutMs: readMs,
        totalTimeoutMs: readMs,
        maxBytes: maxBodyBytes,
        signal,
      }),
    isPrivate: privacyOf(network, target.hostname),
    isPrivateAddress: network.isPrivate,
    open: async (url, { isOwn, mayBePrivate, signal }) => {
      const host = targetOf(url);
      const isFree = mayBePrivate || url.origin === base.origin;
      if (!isFree && isPrivateLiteral(network, host.hostname)) return UNREACHED;
      return openFree({
        ...limits,
        method: 'GET',
        target: host,
        path: url.pathname + url.search,
        headers: isOwn ? { ...linkHeaders, ...bearer } : linkHeaders,
        agents: isFree ? agents.free : agents.outside,
        headTimeoutMs: readMs,
        totalTimeoutMs: options.downloadTimeoutMs ?? 30 * 60_000,
        msPerKib: 1_000,
        maxBytes: maxMediaBytes,
        signal,
      });
    },
    close: () => {
      closeIdle(agents);
    },
  };
}

const UNREACHED: NoAnswer = { kind: 'no-answer', given: false, cause: 'a private address', code: PRIVATE_HOST };

/** Media must have the length that they declare; and JSON is so short here that to compress it would cost more than it saves. */
const UNCOMPRESSED = { 'Accept-Encoding': 'identity' };

/** A batch may have any name, a header may not: such a key is replaced by its hash, which is as stable. */
function asHeaderValue(key: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(key) ? key : `voxbatch-${createHash('sha256').update(key).digest('hex')}`;
}
