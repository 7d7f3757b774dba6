import { clientOf } from '../../api/dialects/dialect-table.ts';
import { classifyPaid, type PaidContext } from '../../api/classify.ts';
import { createRedact } from '../../api/failure-text.ts';
import type { NoAnswer } from '../../api/http.ts';
import { DIALECT_TABLES } from '../../api/dialects/dialects.ts';
import type { Answer } from '../../api/read-answer.ts';
import { parseJson } from '../../api/read-members.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import { TOKEN } from '../support/api-server.ts';

const redact = createRedact(TOKEN);

/** What is known of a request of this operation. */
export function contextOf(operation: Operation, trust503 = true, isRepeat = false): PaidContext {
  return {
    redact,
    asked: 'POST /x',
    from: 'POST /x',
    privateTexts: [],
    trust503,
    isRepeat,
    operation: clientOf(DIALECT_TABLES.v1, operation),
  };
}

/** An answer as it is read; `cut`: why it is not whole. */
export function answerOf(status: number, body: unknown, headers: Record<string, string> = {}, cut?: string): Answer {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  return {
    type: 'answer',
    status,
    header: (name) => headers[name],
    text,
    json: cut === undefined ? parseJson(text) : undefined,
    ...(cut === undefined ? {} : { cut }),
  };
}

/** Verdict and class of a paid answer, in short. */
export function rule(what: Answer | NoAnswer, operation: Operation = 'speech-job', trust503 = true): string {
  const ruling = classifyPaid(what, contextOf(operation, trust503));
  return 'failure' in ruling ? `${ruling.verdict} ${ruling.failure.class}` : ruling.verdict;
}

/** An error body of the API's own. */
export const OWN = { code: 'busy', message: 'try later', requestId: 'req_1' };
/** What a gateway answers. */
export const PAGE = '<!doctype html><html><head><title>Not here</title></head></html>';
