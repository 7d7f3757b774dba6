import type { Selectable } from 'kysely';
import type { AttemptKey } from '../../contract/batch.ts';
import { readBatchLine } from '../batches/read-batches.ts';
import { readSums } from '../batches/counts.ts';
import { keepUnplaced } from '../database/copy-doubts.ts';
import { write } from '../database/transactions.ts';
import { LedgerMisuse } from '../errors.ts';
import { toSettings } from '../batches/batch-records.ts';
import type { RowEffect } from '../rows/row-effects.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Db, Tx } from '../schema.ts';
import { recordJobEnd, type JobEnd, type JobKey } from './job-end.ts';
import { settleAttempt, type SettleVerdict } from './settle.ts';
import type { BatchesTable } from '../tables/batches.ts';
import type { Intent } from './intent-records.ts';
import { chargeOfIntent } from './intents.ts';

/** What a process remembers of a paid request that it has recorded. */
export interface RecordedRequest {
  readonly key: AttemptKey;
  readonly intent: Intent;
  /** When the intent was recorded, by the ledger's clock, ms. */
  readonly at: number;
  /** Parameters of `settle`, once the request was answered. */
  readonly verdict?: readonly [SettleVerdict, RowEffect];
  /** Parameters of `finishJob`, once its job has ended. */
  readonly end?: readonly [JobKey, JobEnd, RowEffect];
}

/**
 * Records again what the ledger lacks of these requests, because its database was replaced by a copy (see
 * `database/recorded-lately.ts`). Existing records stay as they are. No check forbids a record, because the requests
 * were sent. A request whose row or take the copy does not have, or whose batch has ended, is recorded as unplaced
 * (`database/copy-doubts.ts`). Returns the number of requests that were missing, in whole or in part.
 */
export async function recordAgain(db: Db, requests: readonly RecordedRequest[]): Promise<number> {
  return write(
    db,
    async (tx) => {
      let missing = 0;
      for (const request of requests) if (await recordOne(tx, request)) missing += 1;
      return missing;
    },
    (tx) =>
      requests.flatMap(({ key }) => [
        readBatchLine(tx, key.batch),
        readSums(tx, key.batch),
        ...RowInTransaction.prefetch(tx, key),
      ]),
  );
}

/** Returns whether something of the request was missing. */
async function recordOne(tx: Tx, { key, intent, at, verdict, end }: RecordedRequest): Promise<boolean> {
  const found = await find(tx, key);
  if (found === 'known') return false;
  if (found === undefined) {
    await keepUnplaced(tx, { key, at, jobId: verdict?.[0].jobId ?? null });
    return false;
  }
  const { batch, row } = found;
  const isNew = row.chargeAt(key) === undefined;
  if (isNew) {
    await row.addCharge(chargeOfIntent(row, key, intent, toSettings(batch.settings), at));
    if (row.line.outcome === null && row.isAt(key.take))
      await row.change({ state: 'submitting', updated_at: tx.now() });
  }
  const isSettled = verdict !== undefined && (await settleAttempt(row, key, ...verdict));
  if (!isNew && !isSettled) return false;
  // Only if something was missing: otherwise the job may be open because a person has its result fetched again.
  if (end !== undefined) await recordJobEnd(row, ...end);
  return true;
}

/**
 * Loads the row of a request, and its batch. `known`: nothing of the request can be missing. Undefined if the ledger
 * has no place for it.
 */
async function find(
  tx: Tx,
  key: AttemptKey,
): Promise<{ readonly batch: Selectable<BatchesTable>; readonly row: RowInTransaction } | 'known' | undefined> {
  try {
    const batch = await readBatchLine(tx, key.batch);
    // A clean removes the requests of rows that have ended.
    if (batch.rows_cleaned_at !== null || batch.cleaning !== null) return 'known';
    const row = await RowInTransaction.load(tx, key);
    if (batch.state === 'open' && row.line.take >= key.take) return { batch, row };
    return row.chargeAt(key) === undefined ? undefined : 'known';
  } catch (error) {
    if (error instanceof LedgerMisuse) return undefined;
    throw error;
  }
}
