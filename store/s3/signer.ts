import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { SignedUrl, UrlLife } from '../store.ts';
import { type Credentials, type CredentialSource, lastingCredentials } from './credentials.ts';
import type { BucketServer } from './settings.ts';

/** A request to be signed. */
export interface Unsigned {
  readonly method: string;
  /** The key of an object, with the prefix; empty for the bucket. */
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Longest life of a signed URL, ms. */
const MAX_URL_MS = 604_800_000;

/** Signs requests to a bucket (AWS Signature Version 4). */
export class Signer {
  readonly #server: BucketServer;
  readonly #credentials: CredentialSource;
  readonly #lasting: (until: number) => Promise<Credentials>;
  readonly #signer: SignatureV4;
  /** How far the server's clock is ahead of ours, ms. */
  skewMs = 0;

  constructor(server: BucketServer, credentials: CredentialSource) {
    this.#server = server;
    this.#credentials = credentials;
    this.#lasting = lastingCredentials(credentials);
    this.#signer = this.#signerWith(credentials);
  }

  /** Fetches the credentials; new ones with `renew`. Rejects if there are none. */
  async prepare(renew: boolean): Promise<void> {
    await this.#credentials(renew);
  }

  /** Signs a request. Returns its path with the query, and its headers with the signature. */
  async sign(request: Unsigned): Promise<{ readonly path: string; readonly headers: Record<string, string> }> {
    const { headers } = await this.#signer.sign(this.#form(request), { signingDate: this.#now() });
    return { path: this.pathOf(request), headers };
  }

  /** Returns a URL that anybody can GET for `lifetimeMs`, but no longer than the credentials or S3 allow. */
  async presign(key: string, lifetimeMs: number): Promise<SignedUrl> {
    const session = await this.#lasting(this.#now().getTime() + lifetimeMs);
    const signingDate = this.#now();
    const life = lifeIn(session, signingDate.getTime(), lifetimeMs);
    const expiresIn = Math.max(1, Math.floor(life.livesMs / 1_000));
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const form = this.#form({ method: 'GET', key, query: {}, headers });
    const { query = {} } = await this.#signerWith(session).presign(form, { expiresIn, signingDate });
    const flat = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return { ...life, url: `${this.#server.url.origin}${this.pathOf({ key, query: flat })}` };
  }

  /** Returns the path and query of a request, escaped as in the signature. */
  pathOf({ key, query }: Pick<Unsigned, 'key' | 'query'>): string {
    const names = Object.entries(query).map(([name, value]) => `${escape(name)}=${escape(value)}`);
    return `${this.#pathOf(key)}${names.length === 0 ? '' : `?${names.join('&')}`}`;
  }

  #pathOf(key: string): string {
    const { pathname } = this.#server.url;
    const bucket = pathname === '/' ? '' : pathname;
    return key === '' ? bucket || '/' : `${bucket}/${key.split('/').map(escape).join('/')}`;
  }

  /** Converts a request to the form that the signer takes. */
  #form({ method, key, query, headers }: Unsigned): Parameters<SignatureV4['presign']>[0] {
    const { host, hostname, protocol } = this.#server.url;
    return { method, protocol, hostname, path: this.#pathOf(key), query: { ...query }, headers: { host, ...headers } };
  }

  #signerWith(credentials: Credentials | CredentialSource): SignatureV4 {
    return new SignatureV4({
      service: 's3',
      region: this.#server.region,
      credentials: typeof credentials === 'function' ? () => credentials() : credentials,
      sha256: Sha256,
      // S3's own rule: the path is escaped once.
      uriEscapePath: false,
      applyChecksum: false,
    });
  }

  #now(): Date {
    return new Date(Date.now() + this.skewMs);
  }
}

/** Returns how long a URL lives that is signed with these credentials at `now` (ms since 1970). */
function lifeIn({ sessionToken, expiration }: Credentials, now: number, askedMs: number): UrlLife {
  const sessionMs = expiration === undefined ? Infinity : Math.max(0, expiration.getTime() - now);
  const livesMs = Math.min(askedMs, MAX_URL_MS, sessionMs);
  if (livesMs === sessionMs && livesMs < askedMs) return { livesMs, limit: 'session' };
  if (sessionToken !== undefined && expiration === undefined) return { livesMs, limit: 'unknown-session' };
  return livesMs < askedMs ? { livesMs, limit: 'seven-days' } : { livesMs };
}

/** Escapes like RFC 3986: `encodeURIComponent` leaves some characters that signatures need escaped. */
function escape(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Node's hash with the interface that the signer expects. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string);
  }

  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error('The signer uses each hash only once.');
  }
}
