import type { Connection } from '../connection.ts';
import type { Answer } from '../read-answer.ts';
import { isOwnErrorBody } from '../read-error-body.ts';
import { requestChange } from '../request-change.ts';

/** Asks the API to delete a voice, once. `missing`: it has none of this id. Throws ApiError. */
export async function deleteVoice(
  connection: Connection,
  voiceId: string,
  signal: AbortSignal | undefined,
): Promise<'deleted' | 'missing'> {
  const answer = await requestChange(connection, connection.dialect.deleteVoice(voiceId), {
    isDone: saysMissing,
    signal,
  });
  return saysMissing(answer) ? 'missing' : 'deleted';
}

/** A 404 in the API's own words: that of a wrong route says nothing about the voice. */
function saysMissing({ status, json }: Answer): boolean {
  return status === 404 && isOwnErrorBody(json);
}
