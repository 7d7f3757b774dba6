import { defined } from '../contract/defined.ts';
import type { Failure, FailureClass } from '../contract/failures.ts';
import type { Redact } from './failure-text.ts';
import type { Answer } from './read-answer.ts';
import { readErrorBody } from './read-error-body.ts';
import { readRetryAfter } from './retry-after.ts';
import { readCredits } from './read-members.ts';
import type { AnswerFacts } from './speech-api.ts';

/** Turns answers into failures that are safe to record and show. `classify.ts` chooses the class. */

/** What the description of a failure needs besides the answer. */
export interface FailureContext {
  readonly redact: Redact;
  /** The request, e.g. `POST /speech/tts`; no host, no query. */
  readonly asked: string;
  /** The source of the failure, for counting: the API's path, or the host of a link. */
  readonly from: string;
  /** Texts of the user in the request, which the answer may echo. */
  readonly privateTexts: readonly string[];
}

/** Max characters of an identifier in a failure. */
const MAX_CODE_LENGTH = 100;
/** Max characters of a cause. */
const MAX_CAUSE_LENGTH = 120;

/** Returns the short cause by which failures are counted: `403 from cdn.example`. */
export function causeOf(what: string, { redact, from, privateTexts }: FailureContext): string {
  return redact(`${what} from ${from}`, { privateTexts, maxLength: MAX_CAUSE_LENGTH });
}

/**
 * Describes an answer as a failure: status, the API's words, its code and request id, and its `Retry-After`.
 *
 * @param note anything the status alone does not say, e.g. that the answer names no job.
 */
export function describeAnswer(
  failureClass: FailureClass,
  answer: Answer,
  context: FailureContext,
  note = '',
): Failure {
  const body = readErrorBody(answer.json);
  const short = (text: string): string =>
    context.redact(text, { privateTexts: context.privateTexts, maxLength: MAX_CODE_LENGTH });
  const code = body.code === undefined ? undefined : short(body.code);
  const requestId = readRequestId(answer, context);
  const retryAfterMs = readRetryAfter(answer, Date.now());
  const said = [
    `${context.asked} was answered with ${answer.status}${note === '' ? '' : `, ${note}`}`,
    [code, body.message ?? describeForeign(answer)].filter((word) => word !== undefined).join(': '),
    body.retryable === undefined ? '' : body.retryable ? 'the API allows a retry' : 'the API says not to retry',
  ];
  return {
    class: failureClass,
    message: context.redact(said.filter((part) => part !== '').join(' – '), { privateTexts: context.privateTexts }),
    cause: causeOf(describeShortly(answer, code), context),
    status: answer.status,
    ...(code === undefined || code === '' ? {} : { code }),
    ...defined({ requestId, retryAfterMs }),
  };
}

/** Names an error by its code, and a success without a result by its content. */
function describeShortly({ status, json, cut }: Answer, code: string | undefined): string {
  if (code !== undefined && code !== '') return `${status} ${code}`;
  if (status < 200 || status > 299) return String(status);
  return `${status} with ${cut !== undefined ? 'a cut body' : json === undefined ? 'no JSON' : 'other JSON'}`;
}

/** The API's request id, from the body or a header. */
export function readRequestId(answer: Pick<Answer, 'header' | 'json'>, context: FailureContext): string | undefined {
  const id = readErrorBody(answer.json).requestId ?? answer.header('x-request-id');
  const clean = id === undefined ? '' : context.redact(id, { maxLength: MAX_CODE_LENGTH });
  return clean === '' ? undefined : clean;
}

/** Describes an answer without the API's own words: a web page, plain text, nothing, or a fragment. */
function describeForeign(answer: Answer): string {
  if (answer.cut !== undefined) return `the answer is not whole: ${answer.cut}`;
  if (answer.json !== undefined) return 'JSON without an error message';
  const text = answer.text.slice(0, 4_000).trim();
  if (text === '') return 'an empty answer';
  const title = /<title[^>]*>([^<]{1,100})/i.exec(text)?.[1]?.trim();
  if (text.startsWith('<')) return `a web page instead of JSON${title === undefined ? '' : `: "${title}"`}`;
  return `a text instead of JSON: "${text.slice(0, 200)}"`;
}

/** Reads charge and request id from the answer to a paid request. `json`: undefined if the answer is media. */
export function readFacts(answer: Pick<Answer, 'header' | 'json'>, context: FailureContext): AnswerFacts {
  const credits = readCredits(answer.json, answer.header('x-openapi-credits-used'));
  const requestId = readRequestId(answer, context);
  return defined({ credits, requestId });
}
