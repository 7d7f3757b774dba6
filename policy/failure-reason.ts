import type { Failure } from '../contract/failures.ts';

/** Most characters of a reason that is made from a message. */
const LONGEST = 120;

/**
 * The key by which failures are counted: few words that many rows share. Without a named cause, it is the message minus
 * everything specific to a row (numbers, ids, the part in brackets).
 */
export function reasonOf({ cause, message }: Pick<Failure, 'cause' | 'message'>): string {
  return cause === undefined ? withoutIds(message) : withoutCode(cause);
}

/**
 * Turns `403 ERR_DENIED from cdn.example` into `403 from cdn.example`, because one host may word the same answer in
 * several ways.
 */
export function withoutCode(cause: string): string {
  return cause.replace(/^(\d{3}) .*?\bfrom /u, '$1 from ');
}

/** A sentence without its row-specific parts. */
export function withoutIds(sentence: string): string {
  return sentence
    .replace(/\([^)]*\)/gu, '')
    .replace(/\b(?=[\w-]*\d)[\w-]{2,}\b/gu, '…')
    .replace(/\d+(?:[.,]\d+)*/gu, '…')
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, LONGEST);
}
