import { classifyRead } from './classify.ts';
import type { Connection } from './connection.ts';
import { readRequestId } from './describe-failure.ts';
import type { FreeRequest } from './free-request.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { isErrorBody } from './read-error-body.ts';
import { ApiError } from './speech-api.ts';

/** Options of a free request. */
interface FreeRequestOptions {
  readonly signal: AbortSignal | undefined;
  /** Texts of the user in the request, which the answer may echo. */
  readonly privateTexts?: readonly string[];
}

/**
 * Makes a free request of the API and converts the JSON of its answer.
 *
 * @param make converts the body; returns undefined if it lacks the requested data.
 * @throws ApiError
 */
export async function readJson<T>(
  connection: Connection,
  request: FreeRequest,
  make: (json: unknown, answer: Answer) => T | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  return requestFree(connection, request, { signal }, (answer) =>
    isSuccess(answer) ? make(answer.json, answer) : undefined,
  );
}

/**
 * Makes a free request that changes something, once. Its answer is undocumented, so any 2xx means success, unless the
 * body is an error, or a web page, which something in front of the API sends.
 *
 * @param isDone recognises further answers that mean success.
 * @throws ApiError
 */
export async function requestChange(
  connection: Connection,
  request: FreeRequest,
  { isDone = () => false, ...options }: FreeRequestOptions & { readonly isDone?: (answer: Answer) => boolean },
): Promise<Answer> {
  return requestFree(connection, request, options, (answer) => {
    const saysDone = isSuccess(answer) && !answer.text.trimStart().startsWith('<') && !isErrorBody(answer.json);
    return saysDone || isDone(answer) ? answer : undefined;
  });
}

async function requestFree<T>(
  connection: Connection,
  request: FreeRequest,
  { signal, privateTexts = [] }: FreeRequestOptions,
  make: (answer: Answer) => T | undefined,
): Promise<T> {
  const { method, name: path } = request;
  const asked = `${method} ${path}`;
  const context = { redact: connection.redact, asked, from: asked, privateTexts };
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
  const made = make(answer);
  if (made === undefined) throw new ApiError(classifyRead(answer, context));
  return made;
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}
