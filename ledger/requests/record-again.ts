import type { Selectable } from 'kysely';
import type { AttemptKey } from '../../contract/batch.ts';
import { readBatchLine } from '../batches/read-batches.ts';
import { readSums } from '../batches/counts.ts';
import { write } from '../database/transactions.ts';
import { LedgerMisuse } from '../errors.ts';
import { toSettings } from '../records.ts';
import type { RowEffect } from '../rows/row-effects.ts';
import { RowInHand } from '../rows/row-in-hand.ts';
import type { Db, Tx } from '../schema.ts';
import { finishInHand, settleInHand, type JobEnd, type JobKey, type SettleVerdict } from './charges.ts';
import type { BatchesTable } from '../tables/batches.ts';
import type { Intent } from './intent-records.ts';
import { chargeOfIntent } from './intents.ts';

/** What a process recorded of a paid request of its own. */
export interface RecordedRequest {
  readonly key: AttemptKey;
  readonly intent: Intent;
  /** Of the intent, ms. */
  readonly at: number;
  readonly verdict?: readonly [SettleVerdict, RowEffect];
  readonly end?: readonly [JobKey, JobEnd, RowEffect];
}

/**
 * Records again what the ledger lacks of these requests, because a copy of its database took its place. What it has stays
 * as it is, and nothing forbids a record: the requests were sent. Returns the number of those that it lacked, in whole or in
 * part. A request whose row or take it does not know is left out, as are those of batches that have ended.
 */
export async function recordAgain(db: Db, requests: readonly RecordedRequest[]): Promise<number> {
  return write(
    db,
    async (tx) => {
      let lacking = 0;
      for (const request of requests) if (await recordOne(tx, request)) lacking += 1;
      return lacking;
    },
    (tx) =>
      requests.flatMap(({ key }) => [
        readBatchLine(tx, key.batch),
        readSums(tx, key.batch),
        ...RowInHand.prefetch(tx, key),
      ]),
  );
}

async function recordOne(tx: Tx, { key, intent, at, verdict, end }: RecordedRequest): Promise<boolean> {
  const found = await find(tx, key);
  if (found === undefined) return false;
  const { batch, row } = found;
  const isNew = row.chargeAt(key) === undefined;
  if (isNew) {
    await row.addCharge(chargeOfIntent(row, key, intent, toSettings(batch.settings), at));
    if (row.line.outcome === null && row.isAt(key.take))
      await row.change({ state: 'submitting', updated_at: tx.now() });
  }
  const isSettled = verdict !== undefined && (await settleInHand(row, key, ...verdict));
  const isEnded = end !== undefined && (await finishInHand(row, ...end));
  return isNew || isSettled || isEnded;
}

/** The row of a request, and its batch. Undefined if nothing of it can be missing, or nothing can take it. */
async function find(
  tx: Tx,
  key: AttemptKey,
): Promise<{ readonly batch: Selectable<BatchesTable>; readonly row: RowInHand } | undefined> {
  try {
    const batch = await readBatchLine(tx, key.batch);
    const row = await RowInHand.take(tx, key);
    // All rows of a closed batch have ended, and a clean may have removed their requests.
    return batch.state === 'open' && row.line.take >= key.take ? { batch, row } : undefined;
  } catch (error) {
    if (error instanceof LedgerMisuse) return undefined;
    throw error;
  }
}
