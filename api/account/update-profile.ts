import type { Connection } from '../connection.ts';
import { lacks } from '../operations/client-of.ts';
import { requestChange } from '../request-change.ts';
import { ApiError } from '../speech-api.ts';

/** Asks the API to change fields of the token owner's profile, once. Throws ApiError. */
export async function updateProfile(
  connection: Connection,
  fields: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const privateTexts = Object.values(fields).filter((value) => typeof value === 'string');
  const request = connection.dialect.updateProfile;
  if (request === null) throw new ApiError(lacks(connection.dialect, 'update of the profile'));
  await requestChange(connection, { ...request, body: JSON.stringify(fields) }, { privateTexts, signal });
}
