import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BucketTrouble } from './errors.ts';
import type { BucketRequest } from './request.ts';
import { textOf } from './xml.ts';

/** An answer. The body of one with a status of 2xx has to be read to its end, or destroyed. */
export interface BucketAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  /** The code in the body of an accepted error, such as `NoSuchKey`. */
  readonly code?: string | undefined;
}

/** Answers after which the same request may go through. */
const TEMPORARY = new Set([
  ...['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'RequestTimeoutException', 'Throttling'],
  ...['OperationAborted', 'ConditionalRequestConflict', 'IncompleteBody', 'BadDigest', 'XAmzContentSHA256Mismatch'],
]);
/** `501 Not Implemented`: the server does not know this kind of request, and never will. */
export const UNKNOWN_TO_SERVER = 501;
/** Longest body of an error that is read, bytes. */
const MOST_ERROR_BYTES = 65_536;

/** Why there is no answer that counts. */
export interface Failed {
  readonly trouble: BucketTrouble;
  /** Another try would get the same answer. Default: false. */
  readonly isOver?: boolean;
  /** Something answered. Default: false. */
  readonly isAnswered?: boolean;
}

/** Whether the same request may go through later: the server had trouble, or no time. */
export function mayPass(code: string, status?: number): boolean {
  const isOfServer = status !== undefined && (status === 429 || (status >= 500 && status !== UNKNOWN_TO_SERVER));
  return isOfServer || TEMPORARY.has(code);
}

/** An answer of a proxy, or of another server, in the place of S3's: nothing follows from it. */
export function foreign(status: number): Failed {
  return { trouble: { code: 'AWAY', message: `status ${String(status)}, and not by an S3 server` }, isAnswered: true };
}

/**
 * Whether an answer about one object is S3's, where no XML tells: S3 names each content that it takes or gives, and
 * whoever else may answer in its place does not. Versitygw cannot name one that was put into its folder by another
 * program.
 */
export function isOfObject({ method, key = '', root }: BucketRequest, { headers }: IncomingMessage): boolean {
  if (root !== undefined || key === '' || method === 'DELETE' || headers.etag !== undefined) return true;
  return method !== 'PUT' && Object.keys(headers).some((name) => name.startsWith('x-amz-'));
}

/** `isOfS3`: the answer has the form of S3's, so it is none of a proxy before it, or of another server. */
export async function readError(response: IncomingMessage): Promise<BucketTrouble & { readonly isOfS3: boolean }> {
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
