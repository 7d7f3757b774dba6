import { resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';
import { remainingAfter } from '../../batches/reconcile/settle.ts';
import type { SettledRow } from '../../batches/reconcile/settled-row.ts';
import {
  planSettlement,
  type RequestFault,
  type SettlementRequest,
} from '../../batches/reconcile/settlement-request.ts';
import { defined } from '../../contract/defined.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { Confirm } from '../person.ts';
import { checkSettlement } from '../check-wish.ts';
import { claimOut } from '../run/out-folder.ts';
import { draftResubmit, reconcileBatch, type OrphanList, type ReconciledRow } from './reconcile-batch.ts';
import type { RedriveFacts } from '../redrive/redrive-batch.ts';
import { redriveApproved, type PaidEnd } from '../redrive/redrive.ts';
import { refuseLoading } from '../refuse-loading.ts';
import type { Session } from '../session.ts';

/** What to settle in a batch. With none of these, all unknown rows are looked up. Only `resubmit` pays. */
export interface ReconcileOptions extends SettlementRequest {
  /** Folder of the batch's files. Default `out/NAME`. */
  readonly out?: string;
  /**
   * Called before the rows of `resubmit` are paid for again. Default: a bill above `confirmAbove` of the configuration
   * is refused, any other is paid.
   */
  readonly confirm?: Confirm<RedriveFacts>;
}

/** What became of each row, and the jobs of the API that no row has. */
export interface Reconciled {
  readonly rows: readonly ReconciledRow[];
  readonly orphans: OrphanList;
}

/**
 * Result of a wish. `open`: somebody has to work on the batch. `settled`: nobody has to. The others concern the rows of
 * `resubmit`: those were not sent again, and what could be settled is settled all the same. After a {@link RequestFault}
 * nothing was changed.
 */
export type ReconcileEnd =
  | (Reconciled & { readonly type: 'open' })
  | (Reconciled & { readonly type: 'settled' })
  | (Reconciled & Exclude<PaidEnd, { readonly type: 'open' | 'finished' }>)
  | RequestFault;

/**
 * Settles rows whose answer was lost, by what can be found or by a person's word. Throws {@link VoxbatchError}
 * (`bad-option`, `loading`, all that {@link reconcileBatch} throws).
 */
export async function reconcile(
  session: Session,
  batch: BatchRecord,
  { out: folder, confirm, ...wish }: ReconcileOptions,
): Promise<ReconcileEnd> {
  checkSettlement(wish);
  refuseLoading(batch);
  const ledger = await session.ledger();
  const order = await planSettlement(ledger, batch, wish);
  if (order.type !== 'found') return order;
  const out = resolve(folder ?? defaultOut(batch.name));
  const reconciling = await reconcileBatch(session, { batch, order, out });
  const rows: SettledRow[] = [];
  for await (const row of reconciling.rows) rows.push(row);
  const orphans = await reconciling.orphans();
  const { toPay, changed } = remainingAfter(rows, order);
  if (toPay.length > 0) {
    const request = { ...(await draftResubmit(ledger, batch, toPay)), ledger, batch, fileSha256: null, out };
    const paid = await redriveApproved({ session, confirm, request });
    if (paid.type !== 'open' && paid.type !== 'finished') return { ...paid, rows, orphans };
    return { type: 'open', rows: rows.map((row) => resubmittedIf(toPay, row)), orphans };
  }
  if (changed !== 'rows') return { type: 'settled', rows, orphans };
  await claimOut(out, batch, ledger);
  return { type: 'open', rows, orphans };
}

/** The row, marked as sent again if it is among those that were paid for. */
function resubmittedIf(paid: readonly number[], row: SettledRow): ReconciledRow {
  if (!paid.includes(row.row)) return row;
  const { partOf, jobId } = row;
  return { row: row.row, id: row.id, ...defined({ partOf }), jobId, type: 'resubmitted' };
}
