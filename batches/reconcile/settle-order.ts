import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { adoptJob } from './adopt-job.ts';
import { releaseTake, settleNotCharged } from './decide-take.ts';
import type { FreeReads } from '../free-reads.ts';
import { settleUnknown } from './settle-unknown.ts';
import type { SettledRow } from './settled-row.ts';
import type { SettleOrder } from './settle-wish.ts';

/** What settling needs. */
export interface SettleContext {
  readonly ledger: Ledger;
  readonly reads: FreeReads;
  readonly batch: BatchRecord;
  /** User and host, for the record of a decision. */
  readonly who: string;
}

/** Settles rows, first those that a person decided. Yields each row once it is settled or refused. Free. */
export async function* settleOrder(
  { ledger, reads, batch, who }: SettleContext,
  { releases, notCharged, adoptions, lookFor }: SettleOrder,
): AsyncGenerator<SettledRow, void, undefined> {
  for (const take of releases) yield releaseTake(ledger, batch.name, take, who);
  for (const take of notCharged) yield settleNotCharged(ledger, batch.name, take, who);
  for (const job of adoptions) yield adoptJob(ledger, reads, batch, job, who);
  yield* settleUnknown(ledger, reads, batch, lookFor);
}

/**
 * What remains after settling. `toPay`: rows to pay for again; none if a row was refused, because a person who was wrong
 * about one row may be wrong about the others. `changed`: `rows` are open again or ended differently; `sums`: only the
 * batch's sums changed.
 */
export interface AfterSettling {
  readonly toPay: readonly number[];
  readonly changed: 'rows' | 'sums' | 'nothing';
}

const OF_EARLIER_TAKES = ['charged', 'not-charged', 'doubted'] as const;

/** Decides what remains once these rows are settled. */
export function afterSettling(rows: readonly SettledRow[], { again }: Pick<SettleOrder, 'again'>): AfterSettling {
  const types = new Set(rows.map(({ type }) => type));
  const settled = rows.filter(({ type }) => type === 'found' || type === 'adopted' || type === 'released');
  const settledRows = new Set(settled.map(({ row }) => row));
  return {
    toPay: types.has('refused') ? [] : again.filter((row) => !settledRows.has(row)),
    // The charge of an earlier take changes the batch's sums, but not its row.
    changed: settled.length > 0 ? 'rows' : OF_EARLIER_TAKES.some((type) => types.has(type)) ? 'sums' : 'nothing',
  };
}
