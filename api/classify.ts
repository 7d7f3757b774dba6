import { readRetryAfter } from './retry-after.ts';
import type { Failure, FailureClass } from '../contract/failures.ts';
import { causeOf, describeAnswer, type FailureContext, readFacts } from './describe-failure.ts';
import type { NoAnswer } from './http.ts';
import type { OperationClient, Reply } from './operations/operation-client.ts';
import type { Answer } from './read-answer.ts';
import { isErrorBody, isOwnErrorBody, saysNoSuccess, readErrorBody } from './read-error-body.ts';
import { readNamedJob } from './read-job.ts';
import type { AnswerFacts, Verdict } from './speech-api.ts';

/*
 * The single place that interprets the API's answers: it maps status and wording to verdicts and failure classes.
 *
 * A 429 has three meanings: too fast, too many unfinished jobs, or, on older paths of the API, no credits. Only its
 * wording tells them apart. In a dialect without 402, an uninformative 429 is marked vague: it counts as too fast at
 * first, and after several in a row as missing credits (`policy/rows/max-attempts.ts`).
 *
 * A paid request. If no request byte was given to a connected socket, it was certainly not accepted: `not-accepted`.
 * Otherwise the answer decides. 401, 402 and 429 refuse the request before any work: `not-accepted`, and so does a 503
 * if the API itself wrote it and the setting trusts that. Other 4xx are final refusals: `rejected`, even if the body is
 * a web page or broken off, because the status has arrived whole. There are two exceptions. A timeout (408) says
 * nothing about the work. And a conflict (409) may refer to an earlier attempt of the take, which had the same key:
 * something in front of the API may have refused that one after the API accepted it. Then the 409 names the job, or
 * nobody knows it. A 2xx counts by its body: it is the result or a job; or clearly an error, which is a refusal
 * (`not-accepted` if credits are missing); or neither, and then the outcome is `unknown`. Everything else is `unknown`
 * as well: another 5xx may come after the charge, and a redirect (3xx) is probably not the API's answer, but its sender
 * may have forwarded the request first.
 *
 * A read. It costs nothing, so the only question is whether it may work later. 401 and 429 mean the same as above.
 * Other 4xx except 408 are final. Everything else is `ServiceDown`, including unreadable 2xx and redirects (a login
 * page, maintenance).
 *
 * A download. A link that answers with anything but the file is dead; only 429, 408, 5xx and a lost connection are
 * temporary. A 401 is a dead link too: it comes from the link's host, and reading the job again shows whether the token
 * is bad.
 */

/** The result of a paid request; `link` is a result that still has to be fetched, right away. */
export type Ruling = Verdict<never> | { readonly verdict: 'link'; readonly url: string; readonly facts: AnswerFacts };

/** Settings of {@link classifyPaid}. */
export interface PaidContext extends FailureContext {
  /** Whether a 503 with the API's own error body means that the request was not accepted. */
  readonly trust503: boolean;
  /** Whether an earlier attempt of the same take, with the same key, may have been accepted although it was refused. */
  readonly isRepeat: boolean;
  readonly operation: Pick<OperationClient, 'reply' | 'answersJob'>;
  /** Whether the API reports missing credits with a 402; otherwise a 429 may mean them. Default true. */
  readonly has402?: boolean;
}

/** Classifies the answer (anything but media) to a paid request, or its absence. */
export function classifyPaid(what: Answer | NoAnswer, context: PaidContext): Ruling {
  if (what.type === 'no-answer') {
    return what.mayBeSent
      ? { verdict: 'unknown', failure: describeNoAnswer('OutcomeUnknown', what, context) }
      : { verdict: 'not-accepted', failure: describeNoAnswer('NotSent', what, context) };
  }
  const { status } = what;
  if (status >= 200 && status < 300) return classifySuccess(what, context);
  if (status === 401) return refusal('not-accepted', 'BadToken', what, context);
  if (status === 402 || (status === 429 && readLimit(what) === 'credits')) {
    return refusal('not-accepted', 'OutOfCredits', what, context);
  }
  if (status === 429) return tooMuch(what, context);
  if (status === 503 && context.trust503 && isOwnErrorBody(what.json)) {
    return refusal('not-accepted', 'ServiceDown', what, context);
  }
  if (status === 409 && context.isRepeat) return classifyEcho(what, context);
  if (status >= 400 && status < 500 && status !== 408) return refusal('rejected', 'BadRequest', what, context);
  const note = status >= 300 && status < 400 ? 'a redirect, which is not followed' : '';
  return refusal('unknown', 'OutcomeUnknown', what, context, note);
}

/** Classifies a conflict with a job that an earlier attempt of the same take may have created. */
function classifyEcho(answer: Answer, context: PaidContext): Ruling {
  const jobId = context.operation.answersJob ? readNamedJob(answer.json) : undefined;
  return jobId === undefined
    ? refusal('unknown', 'OutcomeUnknown', answer, context, 'so an earlier attempt may have been taken')
    : { verdict: 'accepted', jobId, ...readFacts(answer, context) };
}

function classifySuccess(answer: Answer, context: PaidContext): Ruling {
  const reply = context.operation.reply(answer.json);
  if (saysNoSuccess(answer.json)) {
    return reply === undefined || mayBeWords(reply)
      ? errorInSuccess(answer, context)
      : refusal('unknown', 'OutcomeUnknown', answer, context, 'a body that is both an error and a result');
  }
  const isEmpty = reply === undefined || (reply.type === 'transcript' && reply.transcript.text === '');
  if (isEmpty && isErrorBody(answer.json)) return errorInSuccess(answer, context);
  return reply === undefined
    ? refusal('unknown', 'OutcomeUnknown', answer, context, 'but without what was asked for')
    : rulingOf(reply, readFacts(answer, context));
}

/** Whether what was read as a result may be the text of an error. */
function mayBeWords({ type }: Reply): boolean {
  switch (type) {
    case 'transcript':
      return true;
    case 'job':
    case 'link':
    case 'voice':
      return false;
  }
}

function rulingOf(reply: Reply, facts: AnswerFacts): Ruling {
  switch (reply.type) {
    case 'job':
      return { verdict: 'accepted', jobId: reply.jobId, ...facts };
    case 'link':
      return { verdict: 'link', url: reply.url, facts };
    case 'voice':
      return { verdict: 'done', voiceId: reply.voiceId, ...facts };
    case 'transcript':
      return { verdict: 'done', transcript: reply.transcript, ...facts };
  }
}

/** Classifies an error with a success status. Missing credits concern every row, so they do not fail this one. */
function errorInSuccess(answer: Answer, context: PaidContext): Ruling {
  const note = 'but the body is an error';
  return saysNoCredits(answer)
    ? refusal('not-accepted', 'OutOfCredits', answer, context, note)
    : refusal('rejected', 'BadRequest', answer, context, note);
}

/** Returns the failure of a paid request whose media could not be stored. It may have been charged. */
export function classifyLostMedia(words: string, context: FailureContext): Failure {
  const message = `${context.asked} gave a result that could not be stored; it may have been charged – ${words}`;
  return {
    class: 'OutcomeUnknown',
    message: context.redact(message, context),
    cause: causeOf('a result that was not stored', context),
  };
}

/** Classifies a failed read: no answer, a status other than 2xx, or an unreadable 2xx. */
export function classifyRead(what: Answer | NoAnswer, context: FailureContext): Failure {
  if (what.type === 'no-answer') return describeNoAnswer(what.mayBeSent ? 'ServiceDown' : 'NotSent', what, context);
  const { status } = what;
  if (status >= 200 && status < 300) {
    return isErrorBody(what.json)
      ? describeAnswer('BadRequest', what, context, 'but the body is an error')
      : describeAnswer('ServiceDown', what, context, 'but without what was asked for');
  }
  if (status === 401) return describeAnswer('BadToken', what, context);
  const isAboutCredits = status === 402 || (status === 429 && readLimit(what) === 'credits');
  if (isAboutCredits) return describeAnswer('OutOfCredits', what, context);
  if (status === 429) return describeAnswer('RateLimited', what, context);
  const final = status >= 400 && status < 500 && status !== 408;
  return describeAnswer(final ? 'BadRequest' : 'ServiceDown', what, context);
}

/** Classifies a failed download: no answer, or a status or body that is not the file. */
export function classifyDownload(what: Answer | NoAnswer, context: FailureContext): Failure {
  if (what.type === 'no-answer') return describeNoAnswer(what.mayBeSent ? 'ServiceDown' : 'NotSent', what, context);
  const { status } = what;
  if (status === 429) return describeAnswer('RateLimited', what, context);
  if (status >= 500 || status === 408) return describeAnswer('ServiceDown', what, context);
  return describeAnswer('ResultGone', what, context, status === 200 ? 'but not with the file' : '');
}

function refusal(
  verdict: 'not-accepted' | 'rejected' | 'unknown',
  failureClass: FailureClass,
  answer: Answer,
  context: FailureContext,
  note?: string,
): Ruling {
  return { verdict, failure: describeAnswer(failureClass, answer, context, note) };
}

/** Classifies a 429 that does not mention credits. */
function tooMuch(answer: Answer, context: PaidContext): Ruling {
  const failure = describeAnswer('RateLimited', answer, context);
  const limit = readLimit(answer);
  const isTold = limit === 'concurrency' || (limit === 'vague' && context.has402 === false);
  return { verdict: 'not-accepted', failure: isTold ? { ...failure, limit } : failure };
}

function describeNoAnswer(failureClass: FailureClass, what: NoAnswer, context: FailureContext): Failure {
  const how = what.mayBeSent ? 'got no answer' : 'was not sent';
  return {
    class: failureClass,
    message: context.redact(`${context.asked} ${how} – ${what.cause}`, context),
    cause: causeOf(
      `${what.mayBeSent ? 'no answer' : 'no connection'}${what.code === undefined ? '' : ` (${what.code})`}`,
      context,
    ),
  };
}

/** The cause of a 429: credits, unfinished jobs, request rate, or unclear from its wording. */
type Limit = 'credits' | 'concurrency' | 'pace' | 'vague';

const MONEY = /credit|balance|余额|积分/;
/** Words for concurrent work. */
const AT_ONCE =
  /concurren|simultaneous|parallel|unfinished|outstanding|in (flight|progress)|at (once|a time|the same time)|queue (is )?full|wait (for|until) .*(finish|complet|end|done)|(active|running|pending|queued|open|ongoing|processing|existing) (jobs?|tasks?|requests?|generations?)|并发|进行中|排队/;
/** A number of jobs; it means concurrent jobs unless a time is named. */
const JOBS = /too many (jobs|tasks|generations)|(jobs?|tasks?|generations?) (limit|quota)|任务(数|过多)/;
const PER_TIME =
  /per (second|minute|hour|day)|\b(rpm|rps|qps)\b|rate.?limit|too many (?!jobs|tasks|generations)|too fast|slow down/;

/**
 * Classifies the text of a 429. No public material shows the one for unfinished jobs; these words are usual in such
 * APIs. "Quota" and "insufficient" alone may mean any of the three, so clearer words win.
 */
function readLimit(answer: Answer): Limit {
  const words = wordsOf(answer);
  if (MONEY.test(words)) return 'credits';
  if (AT_ONCE.test(words)) return 'concurrency';
  if (PER_TIME.test(words)) return 'pace';
  if (JOBS.test(words)) return 'concurrency';
  if (/insufficient|quota/.test(words)) return 'credits';
  // Missing credits need no wait.
  return readRetryAfter(answer, 0) === undefined ? 'vague' : 'pace';
}

/** Words for something that is used up. */
const GONE =
  /insufficient|not enough|exhausted|exceeded|out of|used up|run out|too low|no (more )?(credits|balance|quota)|top up|不足/;

/**
 * Whether an error says, whatever its status, that credits are missing. It must say both, the credits and that they are
 * gone: an error that is no 429 may be about anything.
 */
function saysNoCredits(answer: Pick<Answer, 'json' | 'text'>): boolean {
  const words = wordsOf(answer);
  return (MONEY.test(words) || words.includes('quota')) && GONE.test(words) && !PER_TIME.test(words);
}

/** Maximum characters searched: a search may take quadratic time, and an answer may have megabytes. */
const MAX_WORDS_LENGTH = 500;

/** An error's code and message, or else the plain text; in lower case, codes split into words. */
function wordsOf(answer: Pick<Answer, 'json' | 'text'>): string {
  const { code, message = /^\s*</.test(answer.text) ? '' : answer.text } = readErrorBody(answer.json);
  return `${code ?? ''} ${message.slice(0, MAX_WORDS_LENGTH)}`.toLowerCase().replace(/[_-]+/g, ' ');
}
