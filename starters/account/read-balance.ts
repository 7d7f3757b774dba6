import { ApiError } from '../../api/speech-api.ts';
import { createApi } from '../../client/open-api.ts';
import { messageOf } from '../../client/problem.ts';
import type { Settings } from '../../client/settings.ts';
import type { Account } from '../../ledger/last-rows.ts';
import { readApiAccess } from '../connect/settings.ts';

/** The account's API credits, or why they are unknown. */
export type Balance = { readonly credits: number } | { readonly why: string };

/** The account of the token, undefined if it is unknown, and its balance. */
export interface AccountRead {
  readonly account: Account | undefined;
  readonly balance: Balance;
}

/** Nobody waits longer than this for what is only shown, ms. */
const PATIENCE_MS = 5_000;

/** Reads the account and the balance that batches consume from the API, once. Never throws; spends nothing. */
export async function readAccount(settings: Settings, flags: { readonly apiUrl?: string }): Promise<AccountRead> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const api = createApi(readApiAccess(settings, flags));
    try {
      const { userId, quotaRemaining } = await api.readProfile(patience);
      return {
        account: { apiUrl: api.baseUrl, account: userId },
        balance: quotaRemaining === undefined ? { why: 'the profile does not state it' } : { credits: quotaRemaining },
      };
    } finally {
      api.close();
    }
  } catch (error) {
    return { account: undefined, balance: { why: whyNot(error, patience) } };
  }
}

function whyNot(error: unknown, patience: AbortSignal): string {
  if (patience.aborted) return `the API did not answer within ${String(PATIENCE_MS / 1000)} s`;
  if (error instanceof ApiError) return error.failure.message;
  // The rest of the message is advice for commands that cannot do without the API.
  return messageOf(error).split('. ')[0] ?? '';
}
