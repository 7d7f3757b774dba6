import { randomBytes } from 'node:crypto';
import type { Draw } from './draw.ts';
import type { LedgerEntry } from './charge-ledger.ts';

/** An answer before it is on the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Without `Content-Length`. */
  readonly chunked?: boolean;
  /** The charge that this answer reports; marked as answered once the whole answer is out. */
  readonly charge?: LedgerEntry;
}

/** A JSON answer. */
export function json(status: number, value: unknown, charge?: LedgerEntry): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value)),
    ...(charge === undefined ? {} : { charge }),
  };
}

/** An HTML answer. */
export function html(status: number, title: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(
      `<!DOCTYPE html><html lang="en"><head><meta charSet="utf-8"/><title>${title}</title></head><body><div id="__next"><h1>${title}</h1></div></body></html>`,
    ),
  };
}

/** What the web site says to a path that it does not know. */
export function notFoundPage(): Answer {
  return html(404, '404: This page could not be found.');
}

/** A new request id. */
export function newRequestId(): string {
  return `req_${randomBytes(8).toString('hex')}`;
}

/** A request that the service refuses: nothing was accepted or charged. */
export class Refusal extends Error {
  readonly status: number;
  readonly constant: string;
  readonly retryAfter: string | null;

  /**
   * @param constant - the code in its upper-case style, `ERR_…`
   * @param retryAfter - value of the `Retry-After` header, if any
   */
  constructor(status: number, constant: string, message: string, retryAfter: string | null = null) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.constant = constant;
    this.retryAfter = retryAfter;
  }
}

/** Codes come as constants and as words; an unknown voice has only ever been seen as a constant. */
function wordFor(constant: string): string {
  if (constant === 'ERR_VOICE_NOT_FOUND') return constant;
  if (constant === 'ERR_MISSING_REQUIRED_FIELDS') return 'invalid_request';
  return constant.replace(/^ERR_/, '').toLowerCase();
}

/** The JSON body of an error in one of its shapes. */
export function errorBody(constant: string, message: string, draw: Draw): Record<string, unknown> {
  const code = draw.shape('error.code') === 'constant' ? constant : wordFor(constant);
  const requestId = newRequestId();
  switch (draw.shape('error.body')) {
    case 'code-message':
      return { code, message, requestId };
    case 'code-message-retryable':
      return { code, message, requestId, retryable: /RATE|UNAVAILABLE|INTERNAL/.test(constant) };
    case 'error-details':
      return { error: message, details: `request ${requestId}`, code };
  }
}

/** The answer for a refused request. */
export function errorAnswer(refusal: Refusal, draw: Draw): Answer {
  const answer = json(refusal.status, errorBody(refusal.constant, refusal.message, draw));
  if (refusal.retryAfter === null) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': refusal.retryAfter } };
}
