import { hash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { Outage } from '../outage.ts';
import type { CredentialSource } from './credentials.ts';
import { BucketUnusable, type BucketTrouble } from './errors.ts';
import {
  foreign,
  isOfObject,
  mayPass,
  readError,
  UNKNOWN_TO_SERVER,
  type BucketAnswer,
  type Failed,
} from './answers.ts';
import { asked, operationOf, type BucketRequest } from './request.ts';
import { Signer } from './signer.ts';
import type { BucketPlace, BucketServer } from './settings.ts';
import { isDocument, textOf } from './xml.ts';

/** Most connections at once. */
const MOST_SOCKETS = 64;
/** How long a request is repeated by default: a command waits for a place that does not answer, ms. */
const WAIT_MS = 20_000;
/** A connection on which nothing moves for this long is given up, ms. */
const IDLE_MS = 30_000;
/** The same while the server itself copies or puts together what is large, ms. */
const SLOW_MS = 600_000;
/** The server answers, and fails with this request again and again. */
export class ServerFails extends Error {
  override readonly name = 'ServerFails';
}

const EXPIRED = new Set(['ExpiredToken', 'ExpiredTokenException', 'InvalidToken', 'TokenRefreshRequired']);
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
      return { trouble, isOver: !mayPass(code), isAnswered: true };
    });
  }

  /** Names an object of the bucket as the source of a copy. */
  copySource(key: string): string {
    return `/${this.#place.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  }

  unusable(trouble: BucketTrouble): BucketUnusable {
    return new BucketUnusable(this.#place.address, trouble);
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
    return { trouble: { ...said, region }, isOver: !mayPass(said.code, status), isAnswered: true };
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

/** Whatever the server said, it is waiting that would have helped. */
function away(trouble: BucketTrouble): BucketTrouble {
  return { code: 'AWAY', message: words(trouble) };
}

function words({ code, message }: BucketTrouble): string {
  return code === 'AWAY' ? message : `${code}: ${message}`;
}
