import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { adoptJob } from './adopt-job.ts';
import { releaseTake, settleNotCharged } from './decide-take.ts';
import type { FreeReads } from './free-reads.ts';
import { settleUnknown } from './settle-unknown.ts';
import type { SettledRow } from './settled-row.ts';
import type { SettleOrder } from './settle-wish.ts';

/** What settling works with. */
export interface SettleDesk {
  readonly ledger: Ledger;
  readonly reads: FreeReads;
  readonly batch: BatchRecord;
  /** User and host, for the record of a decision. */
  readonly who: string;
}

/** Settles what is wanted, by a person's word first; gives each row once it is settled, or refused. It is free. */
export async function* settleOrder(
  { ledger, reads, batch, who }: SettleDesk,
  { releases, notCharged, adoptions, lookFor }: SettleOrder,
): AsyncGenerator<SettledRow, void, undefined> {
  for (const take of releases) yield releaseTake(ledger, batch.name, take, who);
  for (const take of notCharged) yield settleNotCharged(ledger, batch.name, take, who);
  for (const job of adoptions) yield adoptJob(ledger, reads, batch, job, who);
  yield* settleUnknown(ledger, reads, batch, lookFor);
}

/**
 * What is left to do after settling. `toPay`: rows to be paid for once more; none where a row was refused, for whoever was wrong about one may be
 * about the others. `changed`: `rows` are open again or have ended in another way; of `sums` the batch must be counted anew.
 */
export interface AfterSettling {
  readonly toPay: readonly number[];
  readonly changed: 'rows' | 'sums' | 'nothing';
}

/** Decides what is left to do once these rows were settled. */
export function afterSettling(rows: readonly SettledRow[], { again }: Pick<SettleOrder, 'again'>): AfterSettling {
  const types = new Set(rows.map(({ type }) => type));
  const settled = rows.filter(({ type }) => type === 'found' || type === 'adopted' || type === 'released');
  const settledRows = new Set(settled.map(({ row }) => row));
  return {
    toPay: types.has('refused') ? [] : again.filter((row) => !settledRows.has(row)),
    // The charge of an earlier take changes the sums of the batch, though its row stays as it is.
    changed: settled.length > 0 ? 'rows' : types.has('charged') || types.has('not-charged') ? 'sums' : 'nothing',
  };
}
