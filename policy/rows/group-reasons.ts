import type { Failure } from '../../contract/failures.ts';
import { trimEnd } from '../../contract/trim-end.ts';

/** Groups failures by reason: reduces a failure to words that are the same for all rows with the same problem. */

/** Max characters of a reason derived from a message. */
const MAX_REASON_LENGTH = 120;

/**
 * Returns the reason by which failures are counted: the cause, or if there is none, the message without everything
 * specific to a row (numbers, ids, text in brackets).
 */
export function reasonOf({ cause, message }: Pick<Failure, 'cause' | 'message'>): string {
  return cause === undefined ? withoutIds(message) : withoutCode(cause);
}

/** Shortens `403 ERR_DENIED from cdn.example` to `403 from cdn.example`, because a host may use several codes. */
export function withoutCode(cause: string): string {
  return cause.replace(/^(\d{3}) .*?\bfrom /u, '$1 from ');
}

/** Removes ids, numbers and text in brackets from a sentence. */
export function withoutIds(sentence: string): string {
  return withoutBrackets(sentence)
    .replace(/\w[\w-]*/gu, withoutId)
    .replace(/\d+(?:[.,]\d+)*/gu, '…')
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH);
}

/** Matches an HTTP status in a message: `answered with 422`. */
const STATUS = /\b(with|http|status|code) ([1-5]\d\d)\b/giu;

/**
 * Removes from a message what is specific to its row: ids, numbers, paths of URLs, quoted texts. What distinguishes
 * failures, such as the status of an answer, stays.
 */
export function messageShape(message: string): string {
  // Digits of a status become letters, so that the rules for numbers below keep it.
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

/** Removes text in round brackets. Not by a regular expression, which could take quadratic time. */
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

/** Replaces a word with a digit in it, which is an id, by `…`. */
function withoutId(word: string): string {
  const id = trimEnd(word, '-');
  return id.length > 1 && /\d/.test(id) ? `…${word.slice(id.length)}` : word;
}

/** Longest message of a failure, in characters. */
const MAX_MESSAGE_LENGTH = 500;

/** Appends a note about cost to the failure's message, in brackets, unless the message already mentions charges. */
export function withCostNote(failure: Failure, note: string): Failure {
  if (failure.message.includes('charged')) return failure;
  const words = failure.message.slice(0, MAX_MESSAGE_LENGTH - ` (${note})`.length);
  return { ...failure, message: `${words} (${note})` };
}
