import type { Failure } from '../contract/failures.ts';

/** Most characters of a reason that is made from a message. */
const LONGEST = 120;

/**
 * What failures are counted by: few words that many rows share. Where a failure names no cause, its message without what is of one row
 * only (numbers, ids, the part in brackets).
 */
export function reasonOf({ cause, message }: Pick<Failure, 'cause' | 'message'>): string {
  return cause === undefined ? withoutIds(message) : withoutCode(cause);
}

/** `403 ERR_DENIED from cdn.example` as `403 from cdn.example`: who answers so may word it in several ways. */
export function withoutCode(cause: string): string {
  return cause.replace(/^(\d{3}) .*?\bfrom /u, '$1 from ');
}

/** A sentence without what differs from row to row. */
export function withoutIds(sentence: string): string {
  return sentence
    .replace(/\([^)]*\)/gu, '')
    .replace(/\b(?=[\w-]*\d)[\w-]{2,}\b/gu, '…')
    .replace(/\d+(?:[.,]\d+)*/gu, '…')
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, LONGEST);
}
