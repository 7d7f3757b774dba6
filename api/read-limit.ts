import { readErrorBody } from './read-error-body.ts';
import type { Answer } from './read-answer.ts';

/** The cause of a 429: credits, unfinished jobs, request rate, or unclear from its wording. */
export type Limit = 'credits' | 'concurrency' | 'pace' | 'vague';

const MONEY = /credit|balance|余额|积分/;
/** Words for concurrent work. */
const AT_ONCE =
  /concurren|simultaneous|parallel|unfinished|outstanding|in (flight|progress)|at (once|a time|the same time)|queue (is )?full|wait (for|until) .*(finish|complet|end|done)|(active|running|pending|queued|open|ongoing|processing|existing) (jobs?|tasks?|requests?|generations?)|并发|进行中|排队/;
/** A number of jobs; it means concurrent jobs unless a time is named. */
const JOBS = /too many (jobs|tasks|generations)|(jobs?|tasks?|generations?) (limit|quota)|任务(数|过多)/;
const PER_TIME =
  /per (second|minute|hour|day)|\b(rpm|rps|qps)\b|rate.?limit|too many (?!jobs|tasks|generations)|too fast|slow down/;

/**
 * Classifies the text of a 429. No public material shows the one for unfinished jobs; these words are usual in such APIs.
 * "Quota" and "insufficient" alone may mean any of the three, so clearer words win.
 */
export function readLimit(answer: Answer): Limit {
  const words = wordsOf(answer);
  if (MONEY.test(words)) return 'credits';
  if (AT_ONCE.test(words)) return 'concurrency';
  if (PER_TIME.test(words)) return 'pace';
  if (JOBS.test(words)) return 'concurrency';
  if (/insufficient|quota/.test(words)) return 'credits';
  // Missing credits need no wait.
  return answer.header('retry-after') === undefined ? 'vague' : 'pace';
}

/** Words for what is no longer there. */
const GONE =
  /insufficient|not enough|exhausted|exceeded|out of|used up|run out|too low|no (more )?(credits|balance|quota)|top up|不足/;

/**
 * Whether an error says, whatever its status, that credits are missing. It must say both, the credits and that they are
 * gone: an error that is no 429 may be about anything.
 */
export function saysNoCredits(answer: Pick<Answer, 'json' | 'text'>): boolean {
  const words = wordsOf(answer);
  return (MONEY.test(words) || words.includes('quota')) && GONE.test(words) && !PER_TIME.test(words);
}

/** Maximum characters searched: a search may take quadratic time, and an answer may have megabytes. */
const LONGEST_WORDS = 500;

/** An error's code and message, or else the plain text; in lower case, codes split into words. */
function wordsOf(answer: Pick<Answer, 'json' | 'text'>): string {
  const { code, message = /^\s*</.test(answer.text) ? '' : answer.text } = readErrorBody(answer.json);
  return `${code ?? ''} ${message.slice(0, LONGEST_WORDS)}`.toLowerCase().replace(/[_-]+/g, ' ');
}
