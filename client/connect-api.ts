import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiOptions } from '../api/connection.ts';
import { ApiError, isRetryable, type Profile, type SpeechApi } from '../api/speech-api.ts';
import { realmDifference, type Account } from '../contract/names.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import { VoxbatchError } from './problem.ts';
import type { ApiAccess } from './settings.ts';
import { voxbatchVersion } from './version.ts';

/** An API client with the token's account. */
export interface ConnectedApi {
  readonly api: SpeechApi;
  readonly profile: Profile;
}

/** Returns a batch's realm here: the API's URL and the account that the token belongs to. */
export function realmOf({ api, profile }: ConnectedApi): Account {
  return { apiUrl: api.baseUrl, account: profile.userId };
}

/**
 * Throws {@link VoxbatchError} (`other-realm`) for a batch of another API or account, which this token cannot work on.
 */
export function requireSameRealm(batch: BatchRecord, open: ConnectedApi): void {
  const here = realmOf(open);
  const differs = realmDifference(batch, here);
  if (differs !== undefined) throw new VoxbatchError({ type: 'other-realm', differs, batch, here });
}

/** Pauses before the profile is read again, ms. */
const PAUSES_MS = [500, 1_500];
/** Timeout if the profile is read only once, ms. */
const ONCE_MS = 10_000;

/**
 * Opens the API and reads the profile, which verifies address and token and names the account. Spends nothing. `once`:
 * makes a single attempt, to report whether the API answers now. Throws {@link VoxbatchError} (`odd-token`,
 * `odd-proxy`, `token-refused`, `api-away`).
 */
export async function connectApi(access: ApiAccess, { once = false } = {}): Promise<ConnectedApi> {
  const api = await createApi(access, once ? { readTimeoutMs: ONCE_MS } : {});
  // After the profile, a paid request usually follows, so preload its code. If loading fails, that request reports it.
  void import('../api/http.ts').then(({ loadAxios }) => loadAxios()).catch(() => undefined);
  try {
    return { api, profile: await (once ? api.readProfile() : readProfilePatiently(api)) };
  } catch (error) {
    api.close();
    throw error instanceof ApiError ? apiProblem(error, access.baseUrl) : error;
  }
}

/** The error for a profile that cannot be read. */
export function apiProblem({ failure }: ApiError, apiUrl: string): VoxbatchError {
  return new VoxbatchError({ type: failure.class === 'BadToken' ? 'token-refused' : 'api-away', apiUrl, failure });
}

/** Creates the API client with this access. Sends nothing. Throws {@link VoxbatchError} (`odd-token`, `odd-proxy`). */
export async function createApi(
  access: ApiAccess,
  options: Pick<ApiOptions, 'onRead' | 'readTimeoutMs'> = {},
): Promise<SpeechApi> {
  // Loaded lazily, so that only callers of the API wait for its code.
  const [{ createSpeechApi }, { BadProxy }] = await Promise.all([
    import('../api/create-api.ts'),
    import('../api/proxies.ts'),
  ]);
  try {
    const userAgent = `voxbatch/${voxbatchVersion()}`;
    return createSpeechApi({ ...access, ...options, userAgent });
  } catch (cause) {
    if (cause instanceof BadProxy) throw new VoxbatchError({ type: 'odd-proxy', cause });
    // The address was validated earlier, so the token is at fault.
    throw new VoxbatchError({ type: 'odd-token', cause });
  }
}

/** Reads the profile, retrying after pauses while the API is failing. Throws {@link ApiError}. */
export async function readProfilePatiently(
  api: Pick<SpeechApi, 'readProfile'>,
  signal?: AbortSignal,
): Promise<Profile> {
  for (const pause of PAUSES_MS) {
    try {
      return await api.readProfile(signal);
    } catch (error) {
      const canRetry = error instanceof ApiError && isRetryable(error.failure);
      if (!canRetry || signal?.aborted === true) throw error;
      await sleep(pause);
    }
  }
  return api.readProfile(signal);
}
