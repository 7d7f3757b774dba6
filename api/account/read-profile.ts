import { defined } from '../../contract/defined.ts';
import type { Connection } from '../connection.ts';
import { readJson, requestChange } from '../read-json.ts';
import { asId, asNumber, asText, firstOf, objectsAt } from '../read-members.ts';
import { readHttpDate } from '../retry-after.ts';
import { type Profile, ApiError } from '../speech-api.ts';
import { unsupported } from '../dialects/dialect-table.ts';

/** Where the answer may have the profile. */
const PLACES = ['', 'data', 'profile', 'data.profile', 'user', 'data.user'];

/** Reads the profile of the token's account. Throws ApiError, also if the answer names no user id. */
export async function readProfile(connection: Connection, signal: AbortSignal | undefined): Promise<Profile> {
  return readJson(
    connection,
    connection.dialect.profile,
    (json, answer) => {
      const objects = objectsAt(json, PLACES);
      const userId = firstOf(objects, ['user_id', 'userId'], asId);
      if (userId === undefined) return undefined;
      const tier = firstOf(objects, ['tier'], asText);
      const quotaRemaining = firstOf(objects, ['api_quota_remaining', 'apiQuotaRemaining'], asNumber);
      const credits = firstOf(objects, ['credits'], asNumber);
      const webhookUrl = firstOf(objects, ['webhookUrl', 'webhook_url', 'webhook'], asAddress);
      const serverTimeMs = readHttpDate(answer.header('date'));
      return {
        userId,
        ...defined({ tier, quotaRemaining, credits, webhookUrl, serverTimeMs }),
        // Outer objects first, so that the account's own members win.
        members: Object.assign({}, ...objects) as Profile['members'],
      };
    },
    signal,
  );
}

/** An address from the profile; null if the profile states that there is none. */
function asAddress(value: unknown): string | null | undefined {
  return value === null || value === '' ? null : asText(value);
}

/** Asks the API to change fields of the token owner's profile, once. Throws ApiError. */
export async function updateProfile(
  connection: Connection,
  fields: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const privateTexts = Object.values(fields).filter((value) => typeof value === 'string');
  const request = connection.dialect.updateProfile;
  if (request === null) throw new ApiError(unsupported(connection.dialect, 'update of the profile'));
  await requestChange(connection, { ...request, body: JSON.stringify(fields) }, { privateTexts, signal });
}
