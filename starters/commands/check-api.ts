import type { OpenApi } from '../../client/open-api.ts';
import { VoxbatchError } from '../../client/problem.ts';
import type { Settings } from '../../client/settings.ts';
import { API_CLOCK_SLACK_MS } from '../../policy/clocks.ts';
import { readApiAccess } from '../settings.ts';

/**
 * Whether the API answers, also where it refuses the token: that is for {@link checkAccount} to say. Returns its address.
 *
 * @throws ExitError or VoxbatchError where none is set, and where none answers there.
 */
export async function checkApi(
  settings: Settings,
  flags: { readonly apiUrl?: string },
  open: () => Promise<OpenApi>,
): Promise<string> {
  try {
    return (await open()).api.baseUrl;
  } catch (error) {
    if (!(error instanceof VoxbatchError)) throw error;
    const { problem } = error;
    if (problem.type === 'no-profile' && problem.failure.class === 'BadToken') return problem.apiUrl;
    // Without a token that can be sent, nobody was asked.
    if (problem.type === 'odd-token') return readApiAccess(settings, flags).baseUrl;
    throw error;
  }
}

/** Whose token it is, what is left, and whether the clocks agree, in one line. */
export async function checkAccount(settings: Settings, open: () => Promise<OpenApi>): Promise<string> {
  const { profile } = await open();
  const apart = profile.serverTimeMs === undefined ? 0 : Math.abs(Date.now() - profile.serverTimeMs);
  if (apart > API_CLOCK_SLACK_MS) {
    throw new Error(
      `This machine's clock and the API's are ${String(Math.round(apart / 1000))} s apart: set the clock (NTP).`,
    );
  }
  const balance = profile.quotaRemaining === undefined ? '' : `, ${String(profile.quotaRemaining)} API credits left`;
  const file = settings.env['VOXBATCH_API_TOKEN_FILE'] ?? '';
  const from = file === '' ? '' : `; token from ${file}`;
  return `account ${profile.userId}${profile.tier === undefined ? '' : ` (${profile.tier})`}${balance}; clocks agree${from}`;
}
