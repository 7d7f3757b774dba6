import { limiterScope } from '../../contract/names.ts';
import type { Account } from '../../ledger/rows/last-rows.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';

/** Why an open batch does not move: no worker serves its account, or the API does not answer its workers. */
export type Standstill = 'no-worker' | 'no-answer';

/** What the ledger knows about workers and their troubles. */
export type StandstillLedger = Pick<Ledger, 'livingWorkers' | 'troubles'>;

/**
 * Why a batch stands still; undefined: no known reason. Reads only the ledger. A worker that has just died counts as alive
 * for some seconds, and the API counts as answering until calls have failed since the batch began: what an earlier batch met is no news of it.
 */
export async function standstillOf(
  ledger: StandstillLedger,
  { state, control, apiUrl, account, createdAt }: Pick<BatchRecord, 'state' | 'control' | 'createdAt' | keyof Account>,
): Promise<Standstill | undefined> {
  if (state !== 'open') return undefined;
  const workers = await ledger.livingWorkers(apiUrl, account);
  if (workers.length === 0) return control === 'paused' ? undefined : 'no-worker';
  const realm = { apiUrl, account };
  const scopes = [limiterScope({ realm }, 'create'), limiterScope({ realm }, 'read')];
  return (await ledger.troubles(scopes, createdAt)) > 0 ? 'no-answer' : undefined;
}
