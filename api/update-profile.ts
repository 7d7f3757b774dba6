import { classifyRead } from './classify.ts';
import type { Connection } from './connection.ts';
import { lacks } from './operations/client-of.ts';
import { readAnswer } from './read-answer.ts';
import { isErrorBody } from './read-error-body.ts';
import { ApiError } from './speech-api.ts';

/**
 * Asks the API to change fields of the token owner's profile, once. The contract shows no answer to it, so any 2xx will
 * do that is neither an error nor a web page, which something else sends. Throws ApiError.
 */
export async function updateProfile(
  connection: Connection,
  fields: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const texts = Object.values(fields).filter((value) => typeof value === 'string');
  const request = connection.dialect.updateProfile;
  if (request === null) throw new ApiError(lacks(connection.dialect, 'update of the profile'));
  const asked = `${request.method} ${request.name}`;
  const context = { redact: connection.redact, asked, from: asked, privateTexts: texts };
  const head = await connection.request({ ...request, body: JSON.stringify(fields) }, signal);
  if (head.type === 'no-answer') throw new ApiError(classifyRead(head, context));
  const answer = await readAnswer(head, connection.maxBodyBytes);
  const isPage = answer.text.trimStart().startsWith('<');
  const isDone = answer.status >= 200 && answer.status < 300 && !isPage && !isErrorBody(answer.json);
  if (!isDone) throw new ApiError(classifyRead(answer, context));
}
