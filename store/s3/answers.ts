import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BucketTrouble } from './errors.ts';
import type { BucketRequest } from './request.ts';
import { textOf } from './xml.ts';

/** An answer of S3. With a status of 2xx, the receiver must read its body to the end, or destroy it. */
export interface BucketAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  /** The code in the body of an accepted error, such as `NoSuchKey`. */
  readonly code?: string | undefined;
}

/** Codes of errors after which the same request may succeed. */
const TEMPORARY = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
  'RequestTimeoutException',
  'Throttling',
  'OperationAborted',
  'ConditionalRequestConflict',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
]);
/** `501 Not Implemented`: the server does not know this kind of request, and never will. */
export const UNKNOWN_TO_SERVER = 501;
/** How much of an error's body is read, in characters. */
const MAX_ERROR_LENGTH = 65_536;

/** The failure of one try of a request: no answer, or one that cannot be used. */
export interface Failed {
  readonly trouble: BucketTrouble;
  /** Whether another try would fail the same way. Default false. */
  readonly isFinal?: boolean;
  /** Whether a server answered at all. Default false. */
  readonly isAnswered?: boolean;
}

/** Whether the same request may succeed later: the server failed, or was overloaded. */
export function isTemporary(code: string, status?: number): boolean {
  const isServerError = status !== undefined && (status === 429 || (status >= 500 && status !== UNKNOWN_TO_SERVER));
  return isServerError || TEMPORARY.has(code);
}

/**
 * Returns the failure for an answer of a proxy or another server in place of S3, which says nothing about the object.
 */
export function notFromS3(status: number): Failed {
  return { trouble: { code: 'AWAY', message: `status ${String(status)}, and not by an S3 server` }, isAnswered: true };
}

/**
 * Whether a successful answer without XML comes from S3, rather than from a proxy: S3 sends an ETag with each object
 * that it stores or returns. Versitygw sends none for files that another program has put into its folder, but other
 * headers of S3.
 */
export function isObjectAnswer({ method, key = '', root }: BucketRequest, { headers }: IncomingMessage): boolean {
  if (root !== undefined || key === '' || method === 'DELETE' || headers.etag !== undefined) return true;
  return method !== 'PUT' && Object.keys(headers).some((name) => name.startsWith('x-amz-'));
}

/** Reads an error. `isFromS3`: it has the form of S3's errors, so it does not come from a proxy or another server. */
export async function readError(response: IncomingMessage): Promise<BucketTrouble & { readonly isFromS3: boolean }> {
  const { statusCode = 0 } = response;
  let body = '';
  try {
    for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
      body += piece;
      if (body.length > MAX_ERROR_LENGTH) break;
    }
  } catch {
    // The body is cut off; the status says enough.
  }
  const codeOfS3 = textOf(body, 'Code');
  const code = codeOfS3 ?? STATUS_CODES[statusCode] ?? `HTTP ${String(statusCode)}`;
  const message = textOf(body, 'Message') ?? `status ${String(statusCode)}`;
  return { code, message, region: textOf(body, 'Region'), isFromS3: codeOfS3 !== undefined };
}

/** The codes that errors without a body count as. */
const STATUS_CODES: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  307: 'TemporaryRedirect',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  503: 'ServiceUnavailable',
  507: 'InsufficientStorage',
};
