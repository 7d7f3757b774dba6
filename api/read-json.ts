import { classifyRead } from './classify.ts';
import type { Connection } from './connection.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { ApiError } from './speech-api.ts';

/**
 * Reads a path of the API and converts its JSON.
 *
 * @param asked the path for messages, without ids and query.
 * @param make converts the body; undefined: the body does not contain what was asked for.
 * @throws ApiError
 */
export async function readJson<T>(
  connection: Connection,
  pathAndQuery: string,
  asked: string,
  make: (json: unknown, answer: Answer) => T | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  const context = { redact: connection.redact, asked: `GET ${asked}`, from: `GET ${asked}`, privateTexts: [] };
  const head = await connection.get(pathAndQuery, signal);
  if (head.type === 'no-answer') throw new ApiError(classifyRead(head, context));
  const answer = await readAnswer(head, connection.maxBodyBytes);
  const made = answer.status >= 200 && answer.status < 300 ? make(answer.json, answer) : undefined;
  if (made === undefined) throw new ApiError(classifyRead(answer, context));
  return made;
}
