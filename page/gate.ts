import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../client/http/same-secret.ts';
import { CSRF_HEADER, TOKEN_IN_ADDRESS } from './protocol.ts';

/**
 * Who may use the page: the browser that opened the printed address. Everything on this machine reaches the port, and
 * so does every web page that the user has open, so loopback by itself is no fence (docs/decisions/page.md).
 */
export class Gate {
  readonly #hosts: readonly string[];
  readonly #cookie: string;
  #ticket: string | undefined = secret();
  readonly #session = secret();
  readonly csrf = secret();

  constructor(port: number) {
    this.#hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    // Cookies do not tell ports apart.
    this.#cookie = `voxbatch-${port}`;
  }

  /** The address that lets a browser in, once. */
  address(path: string): string {
    return `http://${this.#hosts[0] ?? ''}${path}${path.includes('?') ? '&' : '?'}ticket=${this.#ticket ?? ''}`;
  }

  /**
   * Whether the request names this server, and no other site made it. A page can point a name of its own here (DNS
   * rebinding).
   */
  isMeant({ headers }: IncomingMessage): boolean {
    const site = headers['sec-fetch-site'];
    return this.#hosts.includes(headers.host ?? '') && site !== 'cross-site' && site !== 'same-site';
  }

  /** Takes the ticket of an address: the cookie for its browser, once; undefined for any other. */
  redeem(ticket: string | null): string | undefined {
    if (ticket === null || this.#ticket === undefined || !isSameSecret(ticket, this.#ticket)) return undefined;
    this.#ticket = undefined;
    return `${this.#cookie}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /**
   * Whether the request has the cookie, and the token that came with it: in a header, or in the address where a browser
   * sends no headers. Cookies do not tell ports apart, so any server of this machine may have been sent ours.
   */
  knows({ headers }: IncomingMessage, query: URLSearchParams): boolean {
    const cookies = (headers.cookie ?? '').split(/; */);
    const hasCookie = cookies.some(
      (one) => one.startsWith(`${this.#cookie}=`) && isSameSecret(one.slice(this.#cookie.length + 1), this.#session),
    );
    const token = headers[CSRF_HEADER] ?? query.get(TOKEN_IN_ADDRESS);
    return hasCookie && typeof token === 'string' && isSameSecret(token, this.csrf);
  }

  /** Whether a post of somebody who is known comes from a script of the page itself. */
  isOwnPost({ headers }: IncomingMessage): boolean {
    return (
      this.#hosts.some((host) => headers.origin === `http://${host}` && headers.host === host) &&
      headers['content-type'] === 'application/json' &&
      headers[CSRF_HEADER] !== undefined
    );
  }
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}
