import { defined } from '../contract/defined.ts';
import { asId, asObject, asText, firstOf, member, objectsAt } from './read-members.ts';

/** The text of an error body. Public material shows `code` + `message` + `requestId`, and `error` + `details`. */
export interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  /** A flag of the API; shown to the user, never acted on. */
  readonly retryable?: boolean;
}

/** Where an answer may have the error. */
const PLACES = ['error', '', 'data.error', 'data'];

/** Values of `code` that are not errors. */
const SUCCESS_CODE = /^(0+|2\d\d|ok|success|succeeded|accepted|created|none|queued|pending|processing|submitted)$/i;

/** Reads the text of an error body; empty if there is none. */
export function readErrorBody(json: unknown): ErrorBody {
  const objects = objectsAt(json, PLACES);
  const code = firstOf(objects, ['code', 'errorCode', 'error_code'], asId);
  const words = [
    firstOf(objects, ['message', 'error', 'error_message', 'errorMessage', 'msg'], asText),
    firstOf(objects, ['details', 'detail'], asText),
  ].filter((text) => text !== undefined);
  const requestId = firstOf(objects, ['requestId', 'request_id'], asId);
  const retryable = firstOf(objects, ['retryable'], (value) => (typeof value === 'boolean' ? value : undefined));
  return {
    ...defined({ code }),
    ...(words.length === 0 ? {} : { message: [...new Set(words)].join(': ') }),
    ...defined({ requestId, retryable }),
  };
}

/** Whether the body says explicitly that the request failed, whatever its status. */
export function isErrorBody(json: unknown): boolean {
  const body = asObject(json);
  if (body === undefined) return false;
  if (saysNoSuccess(json)) return true;
  const error = member(body, 'error');
  if (error === true || asText(error) !== undefined) return true;
  if (Object.keys(asObject(error) ?? {}).length > 0) return true;
  const errors = member(body, 'errors');
  if (Array.isArray(errors) && errors.length > 0) return true;
  const code = asId(member(body, 'code'));
  return code !== undefined && !SUCCESS_CODE.test(code) && firstOf([body], ['message', 'msg'], asText) !== undefined;
}

/** Whether the body has `success: false`. */
export function saysNoSuccess(json: unknown): boolean {
  const success = member(asObject(json), 'success');
  return success === false || success === 'false' || success === 0;
}

/** Whether an error body was written by the API itself, not by a gateway in front of it. */
export function isOwnErrorBody(json: unknown): boolean {
  const body = asObject(json);
  if (body === undefined) return false;
  const error = member(body, 'error');
  if (asText(error) !== undefined || asText(member(asObject(error), 'message')) !== undefined) return true;
  return asText(member(body, 'code')) !== undefined && asText(member(body, 'message')) !== undefined;
}
