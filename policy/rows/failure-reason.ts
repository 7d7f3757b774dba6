import type { Failure } from '../../contract/failures.ts';
import { trimEnd } from '../../contract/trim-end.ts';

/** Max characters of a reason derived from a message. */
const LONGEST = 120;

/**
 * The key by which failures are counted: a few words shared by many rows. Without a named cause, the message minus
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
  return withoutBrackets(sentence)
    .replace(/\w[\w-]*/gu, withoutId)
    .replace(/\d+(?:[.,]\d+)*/gu, '…')
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, LONGEST);
}

/** A status in a message is no number of a row: `answered with 422`. */
const STATUS = /\b(with|http|status|code) ([1-5]\d\d)\b/giu;

/**
 * A message without what it repeats of its row: ids, numbers, paths of addresses, quoted texts. What tells kinds of
 * failures apart, such as the status of an answer, stays.
 */
export function messageShape(message: string): string {
  const generic = message
    .replace(
      STATUS,
      (_, word: string, digits: string) =>
        `${word} ${digits.replace(/\d/gu, (one) => 'abcdefghij'[Number(one)] ?? '')}`,
    )
    .replace(/(https?:\/\/[^/\s"]+)[^\s"]*/gu, '$1')
    .replace(/"[^"]*"/gu, (quoted) => (/\s/u.test(quoted) ? '"…"' : quoted))
    .replace(/\b\d+(?:[.,]\d+)+\b/gu, '…');
  return withoutIds(generic);
}

/** Removes what stands in round brackets. */
function withoutBrackets(text: string): string {
  let left = '';
  let at = 0;
  for (;;) {
    const opens = text.indexOf('(', at);
    const closes = opens < 0 ? -1 : text.indexOf(')', opens);
    if (closes < 0) return left + text.slice(at);
    left += text.slice(at, opens);
    at = closes + 1;
  }
}

/** A word with a digit in it is an id. */
function withoutId(word: string): string {
  const id = trimEnd(word, '-');
  return id.length > 1 && /\d/.test(id) ? `…${word.slice(id.length)}` : word;
}

/** Longest message of a failure, in characters. */
const LONGEST_MESSAGE = 500;

/** Appends to the failure's message what it costs, in brackets, unless the message already says so. */
export function withCostNote(failure: Failure, note: string): Failure {
  if (failure.message.includes('charged')) return failure;
  const words = failure.message.slice(0, LONGEST_MESSAGE - ` (${note})`.length);
  return { ...failure, message: `${words} (${note})` };
}
