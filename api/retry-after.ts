import type { Answer } from './read-answer.ts';

/** Longest wait that is accepted: a day. A longer one is a mistake, and would overflow a timer. */
const MAX_MS = 24 * 60 * 60 * 1000;

/**
 * Reads how long an answer asks the client to wait, from `Retry-After` (RFC 9110, 10.2.3), in seconds or as an HTTP
 * date. A date is compared with the answer's own `Date`, so a wrong local clock does no harm.
 *
 * @param nowMs this machine's clock, used if the answer has no date.
 * @returns milliseconds from the answer, 0 to a day; undefined if it names no wait, or none that makes sense.
 */
export function readRetryAfter(answer: Pick<Answer, 'header' | 'json'>, nowMs: number): number | undefined {
  const text = answer.header('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.round(Number(text) * 1000), MAX_MS);
  const at = readHttpDate(text);
  if (at === undefined) return undefined;
  return Math.min(Math.max(at - (readHttpDate(answer.header('date')) ?? nowMs), 0), MAX_MS);
}

/** Converts an HTTP date in any of its three forms to ms; undefined for anything else that `Date` would guess at. */
export function readHttpDate(value: string | undefined): number | undefined {
  if (value === undefined || !/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}( \d{4}| GMT)$/.test(value.trim()))
    return undefined;
  // The oldest form has no zone. It means GMT, but `Date` would read it as local time.
  const at = Date.parse(value.endsWith('GMT') ? value : `${value.trim()} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
