import { ApiError } from '../../api/speech-api.ts';
import { createApi } from '../../client/open-api.ts';
import { messageOf } from '../../client/problem.ts';
import type { Settings } from '../../client/settings.ts';
import { readApiAccess } from '../connect/settings.ts';

/** The account's API credits, or why they are unknown. */
export type Balance = { readonly credits: number } | { readonly why: string };

/** Nobody waits longer than this for a number that is only shown, ms. */
const PATIENCE_MS = 5_000;

/** Reads the balance that batches consume from the API, once. Never throws; spends nothing. */
export async function readBalance(settings: Settings, flags: { readonly apiUrl?: string }): Promise<Balance> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const api = createApi(readApiAccess(settings, flags));
    try {
      const { quotaRemaining } = await api.readProfile(patience);
      return quotaRemaining === undefined ? { why: 'the profile does not state it' } : { credits: quotaRemaining };
    } finally {
      api.close();
    }
  } catch (error) {
    if (patience.aborted) return { why: `the API did not answer within ${String(PATIENCE_MS / 1000)} s` };
    if (error instanceof ApiError) return { why: error.failure.message };
    // The rest of the message is advice for commands that cannot do without the API.
    return { why: messageOf(error).split('. ')[0] ?? '' };
  }
}
