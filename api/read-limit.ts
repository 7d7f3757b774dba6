import { readErrorBody } from './read-error-body.ts';
import type { Answer } from './read-answer.ts';

/** What a 429 is about: money, unfinished jobs, or requests per time. */
export type Limit = 'credits' | 'concurrency' | 'pace';

const MONEY = /credit|balance|余额|积分/;
/** Work that is going on at one time. */
const AT_ONCE =
  /concurren|simultaneous|parallel|unfinished|outstanding|in (flight|progress)|at (once|a time|the same time)|queue (is )?full|wait (for|until) .*(finish|complet|end|done)|(active|running|pending|queued|open|ongoing|processing|existing) (jobs?|tasks?|requests?|generations?)|并发|进行中|排队/;
/** A number of jobs, which is one at a time unless the words name a time. */
const JOBS = /too many (jobs|tasks|generations)|(jobs?|tasks?|generations?) (limit|quota)|任务(数|过多)/;
const PER_TIME =
  /per (second|minute|hour|day)|\b(rpm|rps|qps)\b|rate.?limit|too many (?!jobs|tasks|generations)|too fast|slow down/;

/**
 * Reads the words of a 429. No public material names those for unfinished jobs; these are how such APIs say it. "Quota" and
 * "insufficient" alone may mean any of the three, so they yield to clearer words.
 */
export function readLimit(answer: Answer): Limit {
  const words = wordsOf(answer);
  if (MONEY.test(words)) return 'credits';
  if (AT_ONCE.test(words)) return 'concurrency';
  if (PER_TIME.test(words)) return 'pace';
  if (JOBS.test(words)) return 'concurrency';
  return /insufficient|quota/.test(words) ? 'credits' : 'pace';
}

/** Characters that are looked at: what is sought takes the square of them at worst, and an answer may have megabytes. */
const LONGEST_WORDS = 500;

/** The code and message of an error, or the text where there is no such body; lower case, codes as words. */
function wordsOf(answer: Answer): string {
  const { code, message = /^\s*</.test(answer.text) ? '' : answer.text } = readErrorBody(answer.json);
  return `${code ?? ''} ${message.slice(0, LONGEST_WORDS)}`.toLowerCase().replace(/[_-]+/g, ' ');
}
