import { defined } from '../contract/defined.ts';
import { readRequestId, type FailureContext } from './describe-failure.ts';
import type { Answer } from './read-answer.ts';
import { readCredits } from './read-members.ts';
import type { AnswerFacts } from './speech-api.ts';

/** What an answer to a paid request says besides its result. `json`: undefined if the answer is media. */
export function readFacts(answer: Pick<Answer, 'header' | 'json'>, context: FailureContext): AnswerFacts {
  const credits = readCredits(answer.json, answer.header('x-openapi-credits-used'));
  const requestId = readRequestId(answer, context);
  return {
    ...defined({ credits, requestId }),
  };
}
