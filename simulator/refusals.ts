import { type Answer, json, newRequestId } from './answer.ts';
import type { Draw } from './draw.ts';

/* The simulator's refusals: codes, wording, and body shapes. */

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

/** The API's default code and wording for each status. */
const USUAL_WORDS: Readonly<Record<number, readonly [constant: string, message: string]>> = {
  400: ['ERR_MISSING_REQUIRED_FIELDS', 'Invalid request body'],
  401: ['ERR_UNAUTHORIZED', 'The API token is missing or not valid'],
  402: ['ERR_INSUFFICIENT_CREDITS', 'Not enough credits'],
  403: ['ERR_FORBIDDEN', 'No access to this voice'],
  404: ['ERR_NOT_FOUND', 'Not found'],
  409: ['ERR_CONFLICT', 'The resource is in use'],
  413: ['ERR_PAYLOAD_TOO_LARGE', 'The upload is too large'],
  422: ['ERR_UNPROCESSABLE', 'The media cannot be processed'],
  429: ['ERR_RATE_LIMITED', 'Too many requests'],
  503: ['ERR_UNAVAILABLE', 'The service is unavailable'],
};

/**
 * The refusal for a status, with its default wording.
 *
 * @param message - default: the usual one
 * @param retryAfter - value of the `Retry-After` header, if any
 */
export function refusalOf(status: number, message?: string, retryAfter: string | null = null): Refusal {
  const [constant, usual] = USUAL_WORDS[status] ?? ['ERR_INTERNAL', 'Something went wrong'];
  return new Refusal(status, constant, message ?? usual, retryAfter);
}

/** Codes come as constants and as words; an unknown voice has only ever been seen as a constant. */
function wordFor(constant: string): string {
  if (constant === 'ERR_VOICE_NOT_FOUND') return constant;
  if (constant === 'ERR_MISSING_REQUIRED_FIELDS') return 'invalid_request';
  return constant.replace(/^ERR_/, '').toLowerCase();
}

/** The JSON body of an error, in one of its shapes. */
function errorBody(constant: string, message: string, draw: Draw): Record<string, unknown> {
  if (draw.dialect === 'legacy') return legacyErrorBody(constant, message, draw);
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

/** The JSON body of an error on the legacy paths. */
function legacyErrorBody(constant: string, message: string, draw: Draw): Record<string, unknown> {
  switch (draw.shape('legacy.error')) {
    case 'bare':
      return { error: message };
    case 'details':
      return { error: message, details: `request ${newRequestId()}` };
    case 'details-code':
      return { error: message, details: `request ${newRequestId()}`, code: constant };
  }
}

/** The legacy paths' wordings for missing credits; the last could also mean a rate limit. */
const NO_CREDITS = {
  credits: 'Not enough credits',
  insufficient: 'Insufficient balance for this request',
  unclear: 'Request limit reached',
} as const;

/** Converts a refusal for the legacy paths, which have no 402. */
function inLegacy(refusal: Refusal, draw: Draw): Refusal {
  return refusal.status === 402 ? new Refusal(429, 'ERR_LIMIT', NO_CREDITS[draw.shape('legacy.broke')]) : refusal;
}

/** Returns the answer to a refused request. */
export function errorAnswer(wanted: Refusal, draw: Draw): Answer {
  const refusal = draw.dialect === 'legacy' ? inLegacy(wanted, draw) : wanted;
  const answer = json(refusal.status, errorBody(refusal.constant, refusal.message, draw));
  if (refusal.retryAfter === null) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': refusal.retryAfter } };
}

/** Returns an error body that is sent with a success status. */
export function softErrorBody(draw: Draw): Record<string, unknown> {
  return errorBody('ERR_PROVIDER', 'The provider refused the request', draw);
}
