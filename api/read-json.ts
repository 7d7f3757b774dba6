import { classifyRead } from './classify.ts';
import type { Connection } from './connection.ts';
import { readRequestId } from './describe-failure.ts';
import type { FreeRequest } from './free-request.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { ApiError } from './speech-api.ts';

/**
 * Makes a free request of the API and converts the JSON of its answer.
 *
 * @param make converts the body; undefined: the body does not contain what was asked for.
 * @throws ApiError
 */
export async function readJson<T>(
  connection: Connection,
  request: FreeRequest,
  make: (json: unknown, answer: Answer) => T | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  const asked = `${request.method} ${request.name}`;
  const context = { redact: connection.redact, asked, from: asked, privateTexts: [] };
  const { method, name: path } = request;
  const began = { at: Date.now(), monotonic: performance.now() };
  const note = (status: number | null, requestId: string | null = null): void => {
    const ms = Math.round(performance.now() - began.monotonic);
    connection.noteRead({ dialect: connection.dialect.dialect, method, path, status, requestId, ms, at: began.at });
  };
  const head = await connection.request(request, signal);
  if (head.type === 'no-answer') {
    note(null);
    throw new ApiError(classifyRead(head, context));
  }
  const answer = await readAnswer(head, connection.maxBodyBytes);
  note(answer.status, readRequestId(answer, context));
  const made = answer.status >= 200 && answer.status < 300 ? make(answer.json, answer) : undefined;
  if (made === undefined) throw new ApiError(classifyRead(answer, context));
  return made;
}
