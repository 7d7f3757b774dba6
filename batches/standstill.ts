import { limiterScope } from '../contract/names.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';

/** Why an open batch does not move, where that can be known: no worker serves its account, or the API does not answer those that do. */
export type Standstill = 'no-worker' | 'no-answer';

/** Where a batch stands, with what the workers have noted. */
export type StandstillLedger = Pick<Ledger, 'livingWorkers' | 'troubles'>;

/**
 * Why a batch that is to go on stands still; undefined: nothing is known to be in its way. Reads the ledger only. A worker that has just
 * died counts as living for some seconds, and the API as answering until several calls in a row have failed.
 */
export async function standstillOf(
  ledger: StandstillLedger,
  { state, control, apiUrl, account }: Pick<BatchRecord, 'state' | 'control' | 'apiUrl' | 'account'>,
): Promise<Standstill | undefined> {
  if (state !== 'open') return undefined;
  const workers = await ledger.livingWorkers(apiUrl, account);
  if (workers.length === 0) return control === 'paused' ? undefined : 'no-worker';
  const realm = { apiUrl, account };
  const scopes = [limiterScope({ realm }, 'create'), limiterScope({ realm }, 'read')];
  return (await ledger.troubles(scopes)) > 0 ? 'no-answer' : undefined;
}
