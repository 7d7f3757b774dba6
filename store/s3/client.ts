import { hash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { Outage } from '../outage.ts';
import type { CredentialSource } from './credentials.ts';
import { BucketUnusable, type BucketTrouble } from './errors.ts';
import {
  notFromS3,
  isObjectAnswer,
  isTemporary,
  readError,
  UNKNOWN_TO_SERVER,
  type BucketAnswer,
  type Failed,
} from './answers.ts';
import { describeOperation, operationOf, type BucketRequest } from './request.ts';
import { Signer } from './signer.ts';
import type { BucketPlace, BucketServer } from './settings.ts';
import { isDocument, textOf } from './xml.ts';

/** Max connections at once. */
const MAX_SOCKETS = 64;
/** How long a request is repeated by default, ms. A worker raises this: see `Outage.limit`. */
const WAIT_MS = 20_000;
/** A request is given up after this long without any data, ms. */
const IDLE_TIMEOUT_MS = 30_000;
/** The same for requests during which the server copies or assembles large objects, ms. */
const SLOW_TIMEOUT_MS = 600_000;

/** The server answers, but has failed with this request as often as `BucketRequest.tries` allows. */
export class ServerFails extends Error {
  override readonly name = 'ServerFails';
}

/** Codes that mean that temporary credentials have expired. */
const EXPIRED = new Set(['ExpiredToken', 'ExpiredTokenException', 'InvalidToken', 'TokenRefreshRequired']);
/** Waiting requests are sent 0.5 s apart, and each of them at least every 30 s. */
const CROWD = { everyMs: 500, maxMs: 30_000 };
/** Matches codes of Node's TLS errors. */
const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/;

/**
 * Sends requests to a bucket, and repeats them while it cannot be reached or is overloaded, so each request must be
 * idempotent. One try goes like this: sign and exchange ({@link #try}); decide whether the answer comes from S3 at all;
 * then return it, or turn it into a failure that is final or temporary. Throws {@link BucketUnusable}.
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
    const options = {
      keepAlive: true,
      maxSockets: MAX_SOCKETS,
      timeout: IDLE_TIMEOUT_MS,
      scheduling: 'lifo',
    } as const;
    this.#agent = server.url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
  }

  /** Sends a request, and lets `receive` read the answer. An answer that it rejects counts as no answer. */
  async send<A extends BucketAnswer>(
    request: BucketRequest,
    receive: (answer: BucketAnswer) => Promise<A | Failed>,
  ): Promise<A> {
    const recovery = { renewed: false, skewed: false };
    const operation = operationOf(request);
    let failures = 0;
    return this.outage.repeat(async () => {
      const begun = await this.#try(request, recovery);
      const answer =
        'trouble' in begun ? begun : await receive(begun).catch((error: unknown) => this.#afterError(error));
      if (!('trouble' in answer)) return answer;
      const { trouble, isFinal = false, isAnswered = false } = answer;
      if (isAnswered && !isFinal && ++failures === request.tries) throw new ServerFails(describe(trouble));
      throw this.unusable({ ...(isFinal ? trouble : away(trouble)), operation: describeOperation(operation, request) });
    }, operation);
  }

  /** Sends a request, and reads the answer's text. An answer that breaks off counts as no answer. */
  ask(request: BucketRequest): Promise<BucketAnswer & { readonly text: string }> {
    const { root, accepts = [] } = request;
    return this.send<BucketAnswer & { readonly text: string }>(request, async (answer) => {
      const reply = answer.status < 300 ? await text(answer.body) : '';
      if (answer.status >= 300 || root === undefined || isDocument(reply, root)) return { ...answer, text: reply };
      // S3 starts a slow answer with status 200 before it has finished, and may still report an error in it.
      const code = textOf(reply, 'Code');
      if (code === undefined) return notFromS3(answer.status);
      if (accepts.includes(code)) return { ...answer, text: '', code };
      const trouble = { code, message: textOf(reply, 'Message') ?? code };
      return { trouble, isFinal: !isTemporary(code), isAnswered: true };
    });
  }

  /** Returns the value of the header `x-amz-copy-source` for an object of this bucket. */
  copySource(key: string): string {
    return `/${this.#place.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Returns the error for this bucket. */
  unusable(trouble: BucketTrouble): BucketUnusable {
    return new BucketUnusable(this.#place.address, trouble);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends a request once. */
  async #try(request: BucketRequest, recovery: Recovery): Promise<BucketAnswer | Failed> {
    const { method, key = '', query = {}, body, accepts = [] } = request;
    const sha256 = request.sha256 ?? hash('sha256', body ?? '', 'hex');
    const headers = { 'x-amz-content-sha256': sha256, ...request.headers };
    let response: http.IncomingMessage;
    try {
      const signed = await this.signer.sign({ method, key, query, headers });
      this.#hasSigned = true;
      response = await this.#exchange(request, signed.path, signed.headers);
    } catch (error) {
      return this.#afterError(error);
    }
    const { statusCode: status = 0 } = response;
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess && isObjectAnswer(request, response)) return { status, headers: response.headers, body: response };
    const reply = await readError(response);
    // Errors without a body: HEAD is followed by a request that detects a missing bucket (`headObject`).
    const hasErrorBody = method !== 'HEAD' && method !== 'DELETE' && status !== UNKNOWN_TO_SERVER;
    if (isSuccess || (hasErrorBody && !reply.isFromS3)) return notFromS3(status);
    if (accepts.includes(reply.code) || (accepts.includes(status) && reply.code !== 'NoSuchBucket'))
      return { status, headers: response.headers, body: response, code: reply.code };
    return this.#afterRefusal(reply, response, recovery);
  }

  /** Classifies an error of S3. Expired credentials and a wrong clock are corrected once, before the next try. */
  async #afterRefusal(reply: BucketTrouble, response: http.IncomingMessage, recovery: Recovery): Promise<Failed> {
    const { headers, statusCode: status = 0 } = response;
    if (EXPIRED.has(reply.code) && !recovery.renewed) {
      recovery.renewed = true;
      const isRenewed = await this.signer.prepare(true).then(
        () => true,
        () => false,
      );
      if (isRenewed) return { trouble: reply };
    }
    if (reply.code === 'RequestTimeTooSkewed' && !recovery.skewed && headers.date !== undefined) {
      recovery.skewed = true;
      this.signer.skewMs = Date.parse(headers.date) - Date.now();
      return { trouble: reply };
    }
    const region = reply.region ?? headers['x-amz-bucket-region']?.toString();
    return { trouble: { ...reply, region }, isFinal: !isTemporary(reply.code, status), isAnswered: true };
  }

  /** Classifies an error that prevented an answer. */
  #afterError(error: unknown): Failed {
    const { code = '', name, message } = error as NodeJS.ErrnoException;
    // A bug of ours, which waiting cannot solve.
    if (error instanceof TypeError && code === '' && error.cause === undefined) throw error;
    // If there were credentials before, their source is away only for a moment.
    if (name === 'CredentialsProviderError' || name === 'TokenProviderError')
      return { trouble: { code: 'NoCredentials', message }, isFinal: !this.#hasSigned };
    if (BAD_CERTIFICATE.test(code)) return { trouble: { code: 'Certificate', message }, isFinal: true };
    return { trouble: { code: 'AWAY', message: message === '' ? code : message } };
  }

  /** Sends a signed request. Resolves with the answer's headers. */
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
    // An IPv6 address has brackets only in a URL.
    const host = hostname.replace(/^\[|\]$/g, '');
    const timeoutMs = isSlow ? SLOW_TIMEOUT_MS : IDLE_TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const request = open({ agent: this.#agent, host, port, method, path, headers: { ...headers, ...length } });
      if (isSlow) request.setTimeout(timeoutMs);
      request.on('response', resolve);
      request.on('error', reject);
      request.on('timeout', () => {
        const error = new Error(`nothing came for ${String(timeoutMs / 1_000)} s`);
        request.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
      });
      request.end(body);
    });
  }
}

/** Corrections that were already tried for a request: each is tried once. */
interface Recovery {
  /** Renewed the credentials. */
  renewed: boolean;
  /** Adopted the clock of the server. */
  skewed: boolean;
}

/** Turns a temporary problem into one that says that the bucket is away, so that callers wait. */
function away(trouble: BucketTrouble): BucketTrouble {
  return { code: 'AWAY', message: describe(trouble) };
}

function describe({ code, message }: BucketTrouble): string {
  return code === 'AWAY' ? message : `${code}: ${message}`;
}
