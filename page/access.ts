import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../client/http/same-secret.ts';
import { CSRF_HEADER, TOKEN_PARAMETER } from './protocol.ts';

/**
 * Decides who may use the page: only the browser that opened the printed URL. Any program of this machine and any web
 * page that the user has open can reach the port, so listening on loopback is not enough (docs/decisions/page.md).
 *
 * The printed URL has a ticket. The browser that redeems it first gets a session: a cookie, and a CSRF token in the
 * HTML. Each later request needs both, because cookies ignore ports: any server of this machine may have been sent
 * ours.
 */
export class PageAccess {
  readonly #hosts: readonly string[];
  readonly #cookieName: string;
  #ticket: string | undefined = randomSecret();
  readonly #session = randomSecret();
  readonly csrfToken = randomSecret();

  constructor(port: number) {
    this.#hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    // The port is in the name, since cookies ignore ports and two pages may be open.
    this.#cookieName = `voxbatch-${port}`;
  }

  /** Returns the URL of `path` that lets one browser in. */
  ticketUrl(path: string): string {
    return `http://${this.#hosts[0] ?? ''}${path}${path.includes('?') ? '&' : '?'}ticket=${this.#ticket ?? ''}`;
  }

  /**
   * Whether the request names this host, and no other site made it. The name is checked because a site can point its
   * own host name at loopback (DNS rebinding).
   */
  isForThisServer({ headers }: IncomingMessage): boolean {
    const site = headers['sec-fetch-site'];
    return this.#hosts.includes(headers.host ?? '') && site !== 'cross-site' && site !== 'same-site';
  }

  /** Takes the ticket and returns the session cookie; undefined if the ticket is wrong, or was redeemed before. */
  redeemTicket(ticket: string | null): string | undefined {
    if (ticket === null || this.#ticket === undefined || !isSameSecret(ticket, this.#ticket)) return undefined;
    this.#ticket = undefined;
    return `${this.#cookieName}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /**
   * Whether the request has the cookie and the CSRF token: in a header, or in the URL where a browser sets no headers.
   */
  hasSession({ headers }: IncomingMessage, query: URLSearchParams): boolean {
    const cookies = (headers.cookie ?? '').split(/; */);
    const hasCookie = cookies.some(
      (cookie) =>
        cookie.startsWith(`${this.#cookieName}=`) &&
        isSameSecret(cookie.slice(this.#cookieName.length + 1), this.#session),
    );
    const token = headers[CSRF_HEADER] ?? query.get(TOKEN_PARAMETER);
    return hasCookie && typeof token === 'string' && isSameSecret(token, this.csrfToken);
  }

  /** Whether a POST comes from a script of the page itself. The session is checked apart. */
  isSameOriginPost({ headers }: IncomingMessage): boolean {
    return (
      this.#hosts.some((host) => headers.origin === `http://${host}` && headers.host === host) &&
      headers['content-type'] === 'application/json' &&
      headers[CSRF_HEADER] !== undefined
    );
  }
}

function randomSecret(): string {
  return randomBytes(24).toString('base64url');
}
