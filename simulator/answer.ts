import { randomBytes } from 'node:crypto';
import type { LedgerEntry } from './charge-ledger.ts';

/** An answer that has not been sent yet. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** True to send the body in chunks, without `Content-Length`. Default false. */
  readonly chunked?: boolean;
  /** The charge that this answer reports; marked as answered once the whole answer has been sent. */
  readonly charge?: LedgerEntry;
}

/** Makes a JSON answer. */
export function json(status: number, value: unknown, charge?: LedgerEntry): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value)),
    ...(charge === undefined ? {} : { charge }),
  };
}

/** Makes an HTML answer. */
export function html(status: number, title: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(
      `<!DOCTYPE html><html lang="en"><head><meta charSet="utf-8"/><title>${title}</title></head><body><div id="__next"><h1>${title}</h1></div></body></html>`,
    ),
  };
}

/** Makes the web site's answer to an unknown path. */
export function notFoundPage(): Answer {
  return html(404, '404: This page could not be found.');
}

/** Makes a new request id in the API's format. */
export function newRequestId(): string {
  return `req_${randomBytes(8).toString('hex')}`;
}
