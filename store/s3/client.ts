import { hash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { Outage } from '../outage.ts';
import { bucketAddress, type BucketPlace } from './address.ts';
import type { CredentialSource } from './credentials.ts';
import { BucketUnusable, type BucketTrouble } from './errors.ts';
import { asked, operationOf } from './operation.ts';
import { Signer } from './signer.ts';
import type { BucketServer } from './settings.ts';
import { isDocument, textOf } from './xml.ts';

/** Most connections at once. */
const MOST_SOCKETS = 64;
/** How long a request is repeated by default: a command waits for a place that does not answer, ms. */
const WAIT_MS = 20_000;
/** A connection on which nothing moves for this long is given up, ms. */
const IDLE_MS = 30_000;
/** The same while the server itself copies or puts together what is large, ms. */
const SLOW_MS = 600_000;
/** Longest body of an error that is read, bytes. */
const MOST_ERROR_BYTES = 65_536;

/** A request to a bucket; it may be sent more than once. */
export interface BucketRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The object's key, with the prefix. Default: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: Uint8Array;
  /** Hex hash of the body, if it is known. */
  readonly sha256?: string;
  /** The root element of S3's answer. Default: the answer is none in XML. */
  readonly root?: string;
  /** Whether the server may take long. Default: false. */
  readonly isSlow?: boolean;
  /** Statuses, and codes of S3, that are answers, besides 2xx. Default: none. */
  readonly accepts?: readonly (number | string)[];
  /** How often the server may answer that it failed before {@link ServerFails} is thrown. Default: it is asked on. */
  readonly tries?: number;
}

/** The server answers, and fails with this request again and again. */
export class ServerFails extends Error {
  override readonly name = 'ServerFails';
}

/** An answer. The body of one with a status of 2xx has to be read to its end, or destroyed. */
export interface BucketAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: http.IncomingMessage;
  /** The code in the body of an accepted error, such as `NoSuchKey`. */
  readonly code?: string | undefined;
}

/** Answers after which the same request may go through. */
const PASSING = new Set([
  ...['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'RequestTimeoutException', 'Throttling'],
  ...['OperationAborted', 'ConditionalRequestConflict', 'IncompleteBody', 'BadDigest', 'XAmzContentSHA256Mismatch'],
]);
const EXPIRED = new Set(['ExpiredToken', 'ExpiredTokenException', 'InvalidToken', 'TokenRefreshRequired']);
/** `501 Not Implemented`: the server does not know this kind of request, and never will. */
export const UNKNOWN_TO_SERVER = 501;
/** Requests that wait are sent this far apart, and each is sent again after at most the other, ms. */
const CROWD = { everyMs: 500, longestMs: 30_000 };
const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/;

/**
 * Sends requests to a bucket, again and again while it only cannot be reached or is overloaded. All of them may be
 * repeated. Throws {@link BucketUnusable}.
 */
export class BucketClient {
  readonly signer: Signer;
  readonly outage = new Outage(
    WAIT_MS,
    (error) => (error instanceof BucketUnusable ? error.outage : undefined),
    undefined,
    CROWD,
  );
  readonly #place: BucketPlace;
  readonly #server: BucketServer;
  readonly #agent: http.Agent;
  #hasSigned = false;

  constructor(place: BucketPlace, server: BucketServer, credentials: CredentialSource) {
    this.#place = place;
    this.#server = server;
    this.signer = new Signer(server, credentials);
    const options = { keepAlive: true, maxSockets: MOST_SOCKETS, timeout: IDLE_MS, scheduling: 'lifo' } as const;
    this.#agent = server.url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
  }

  /** Sends a request. An answer that `receive` rejects counts as none. */
  async send<A extends BucketAnswer>(
    request: BucketRequest,
    receive: (answer: BucketAnswer) => Promise<A | Failed>,
  ): Promise<A> {
    const turn = { renewed: false, skewed: false };
    const operation = operationOf(request);
    let failures = 0;
    return this.outage.repeat(async () => {
      const begun = await this.#try(request, turn);
      const answer = 'trouble' in begun ? begun : await receive(begun).catch((error: unknown) => this.#failed(error));
      if (!('trouble' in answer)) return answer;
      const { trouble, isOver = false, isAnswered = false } = answer;
      if (isAnswered && !isOver && ++failures === request.tries) throw new ServerFails(words(trouble));
      throw this.unusable({ ...(isOver ? trouble : away(trouble)), asked: asked(operation, request) });
    }, operation);
  }

  /** Sends a request, and reads the whole answer; one that breaks off counts as none. */
  ask(request: BucketRequest): Promise<BucketAnswer & { readonly text: string }> {
    const { root, accepts = [] } = request;
    return this.send<BucketAnswer & { readonly text: string }>(request, async (answer) => {
      const said = answer.status < 300 ? await text(answer.body) : '';
      if (answer.status >= 300 || root === undefined || isDocument(said, root)) return { ...answer, text: said };
      // S3 begins a slow answer before it has finished, and may then say that it failed.
      const code = textOf(said, 'Code');
      if (code === undefined) return foreign(answer.status);
      if (accepts.includes(code)) return { ...answer, text: '', code };
      const trouble = { code, message: textOf(said, 'Message') ?? code };
      return { trouble, isOver: !PASSING.has(code), isAnswered: true };
    });
  }

  /** Names an object of the bucket as the source of a copy. */
  copySource(key: string): string {
    return `/${this.#place.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  }

  unusable(trouble: BucketTrouble): BucketUnusable {
    return new BucketUnusable(bucketAddress(this.#place), trouble);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #try(request: BucketRequest, turn: Turn): Promise<BucketAnswer | Failed> {
    const { method, key = '', query = {}, body, accepts = [] } = request;
    const sha256 = request.sha256 ?? hash('sha256', body ?? '', 'hex');
    const headers = { 'x-amz-content-sha256': sha256, ...request.headers };
    let response: http.IncomingMessage;
    try {
      const signed = await this.signer.sign({ method, key, query, headers });
      this.#hasSigned = true;
      response = await this.#exchange(request, signed.path, signed.headers);
    } catch (error) {
      return this.#failed(error);
    }
    const { statusCode: status = 0 } = response;
    const isWell = status >= 200 && status < 300;
    if (isWell && isOfObject(request, response)) return { status, headers: response.headers, body: response };
    const said = await readError(response);
    // A HEAD has no body, and is followed by a request that tells a missing bucket.
    const mustTell = method !== 'HEAD' && method !== 'DELETE' && status !== UNKNOWN_TO_SERVER;
    if (isWell || (mustTell && !said.isOfS3)) return foreign(status);
    if (accepts.includes(said.code) || (accepts.includes(status) && said.code !== 'NoSuchBucket'))
      return { status, headers: response.headers, body: response, code: said.code };
    return this.#refused(said, response, turn);
  }

  async #refused(said: BucketTrouble, response: http.IncomingMessage, turn: Turn): Promise<Failed> {
    const { headers, statusCode: status = 0 } = response;
    if (EXPIRED.has(said.code) && !turn.renewed) {
      turn.renewed = true;
      const isRenewed = await this.signer.prepare(true).then(
        () => true,
        () => false,
      );
      if (isRenewed) return { trouble: said };
    }
    if (said.code === 'RequestTimeTooSkewed' && !turn.skewed && headers.date !== undefined) {
      turn.skewed = true;
      this.signer.skewMs = Date.parse(headers.date) - Date.now();
      return { trouble: said };
    }
    const region = said.region ?? headers['x-amz-bucket-region']?.toString();
    const isOver = !(isOfServer(status) || PASSING.has(said.code));
    return { trouble: { ...said, region }, isOver, isAnswered: true };
  }

  #failed(error: unknown): Failed {
    const { code = '', name, message } = error as NodeJS.ErrnoException;
    // A fault of the program, which no waiting mends.
    if (error instanceof TypeError && code === '' && error.cause === undefined) throw error;
    // Once there were credentials, their source is only away for a moment.
    if (name === 'CredentialsProviderError' || name === 'TokenProviderError')
      return { trouble: { code: 'NoCredentials', message }, isOver: !this.#hasSigned };
    if (BAD_CERTIFICATE.test(code)) return { trouble: { code: 'Certificate', message }, isOver: true };
    return { trouble: { code: 'AWAY', message: message === '' ? code : message } };
  }

  #exchange(
    { method, body, isSlow = false }: BucketRequest,
    path: string,
    headers: Record<string, string>,
  ): Promise<http.IncomingMessage> {
    const { protocol, hostname, port } = this.#server.url;
    const open = protocol === 'https:' ? https.request : http.request;
    const length =
      body === undefined && (method === 'GET' || method === 'HEAD')
        ? {}
        : { 'content-length': String(body?.length ?? 0) };
    // A literal IPv6 address has brackets in a URL only.
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve, reject) => {
      const request = open({ agent: this.#agent, host, port, method, path, headers: { ...headers, ...length } });
      if (isSlow) request.setTimeout(SLOW_MS);
      request.on('response', resolve);
      request.on('error', reject);
      request.on('timeout', () => {
        request.destroy(
          Object.assign(new Error(`nothing came for ${String((isSlow ? SLOW_MS : IDLE_MS) / 1_000)} s`), {
            code: 'ETIMEDOUT',
          }),
        );
      });
      request.end(body);
    });
  }
}

/** What was tried once for a request. */
interface Turn {
  renewed: boolean;
  skewed: boolean;
}

/** Why there is no answer that counts. */
interface Failed {
  readonly trouble: BucketTrouble;
  /** Another try would get the same answer. Default: false. */
  readonly isOver?: boolean;
  /** Something answered. Default: false. */
  readonly isAnswered?: boolean;
}

/** Whether the server had trouble or no time. */
function isOfServer(status: number): boolean {
  return status === 429 || (status >= 500 && status !== UNKNOWN_TO_SERVER);
}

/** Whatever the server said, it is waiting that would have helped. */
function away(trouble: BucketTrouble): BucketTrouble {
  return { code: 'AWAY', message: words(trouble) };
}

function words({ code, message }: BucketTrouble): string {
  return code === 'AWAY' ? message : `${code}: ${message}`;
}

/** An answer of a proxy, or of another server, in the place of S3's: nothing follows from it. */
function foreign(status: number): Failed {
  return { trouble: { code: 'AWAY', message: `status ${String(status)}, and not by an S3 server` }, isAnswered: true };
}

/**
 * Whether an answer about one object is S3's, where no XML tells: S3 names each content that it takes or gives, and whoever
 * else may answer in its place does not. Versitygw cannot name one that was put into its folder by another program.
 */
function isOfObject({ method, key = '', root }: BucketRequest, { headers }: http.IncomingMessage): boolean {
  if (root !== undefined || key === '' || method === 'DELETE' || headers.etag !== undefined) return true;
  return method !== 'PUT' && Object.keys(headers).some((name) => name.startsWith('x-amz-'));
}

/** `isOfS3`: the answer has the form of S3's, so it is none of a proxy before it, or of another server. */
async function readError(response: http.IncomingMessage): Promise<BucketTrouble & { readonly isOfS3: boolean }> {
  const { statusCode = 0 } = response;
  let body = '';
  try {
    for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
      body += piece;
      if (body.length > MOST_ERROR_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  const own = textOf(body, 'Code');
  const code = own ?? STATUS_CODES[statusCode] ?? `HTTP ${String(statusCode)}`;
  const message = textOf(body, 'Message') ?? `status ${String(statusCode)}`;
  return { code, message, region: textOf(body, 'Region'), isOfS3: own !== undefined };
}

/** The codes of answers without a body. */
const STATUS_CODES: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  307: 'TemporaryRedirect',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  503: 'ServiceUnavailable',
  507: 'InsufficientStorage',
};
