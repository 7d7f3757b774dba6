import { classifyRead } from './classify.ts';
import type { Connection } from './connection.ts';
import type { FreeRequest } from './free-request.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { isErrorBody } from './read-error-body.ts';
import { ApiError } from './speech-api.ts';

/**
 * Makes a free request that changes something, once. The contract shows no answer to these, so any 2xx will do that is
 * neither an error nor a web page, which something else sends.
 *
 * @param isDone further answers that mean that it is done.
 * @throws ApiError
 */
export async function requestChange(
  connection: Connection,
  request: FreeRequest,
  options: {
    readonly privateTexts?: readonly string[];
    readonly isDone?: (answer: Answer) => boolean;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Answer> {
  const { privateTexts = [], isDone = () => false, signal } = options;
  const asked = `${request.method} ${request.name}`;
  const context = { redact: connection.redact, asked, from: asked, privateTexts };
  const head = await connection.request(request, signal);
  if (head.type === 'no-answer') throw new ApiError(classifyRead(head, context));
  const answer = await readAnswer(head, connection.maxBodyBytes);
  if (!saysDone(answer) && !isDone(answer)) throw new ApiError(classifyRead(answer, context));
  return answer;
}

function saysDone({ status, text, json }: Answer): boolean {
  return status >= 200 && status < 300 && !text.trimStart().startsWith('<') && !isErrorBody(json);
}
