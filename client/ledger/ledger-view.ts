import type { Copied } from '../../ledger/copy/copy-ledger.ts';
import type { ComparedBatch, ComparedStore } from './compare-store.ts';
import { MILLIONTHS, type Difference, type Tally } from '../../ledger/copy/tally.ts';

/** Counts and sums of a batch, recounted from its rows and charges. */
export interface BatchSums {
  readonly batch: string;
  /** Rows by outcome, or by state if they are open; `not_chosen`: those that `--limit` or `--sample` left out. */
  readonly rows: ReadonlyMap<string, number>;
  /** Credits. */
  readonly charged: number;
  /** Quotes of requests whose outcome is unknown, credits. */
  readonly uncertain: number;
}

/** Result of `voxbatch ledger copy`. */
export interface LedgerCopyView {
  readonly from: string;
  readonly to: string;
  /**
   * `copied`: this command copied everything. `completed`: an earlier command had, and this one opened the copy.
   * `already`: nothing was left to do.
   */
  readonly result: Copied['type'];
  /** The sums that were compared and are the same on both sides; empty unless `copied`. */
  readonly batches: readonly BatchSums[];
  /** Number of records by table; empty unless `copied`. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Result of `voxbatch ledger check`. */
export interface LedgerCheckView {
  readonly ledger: string;
  readonly batches: readonly BatchSums[];
  /** Counts and sums that the ledger keeps and that differ from the recount. */
  readonly differences: readonly Difference[];
}

/**
 * Result of `voxbatch ledger compare-store`. `from`, `until`: the time in which requests may have been sent that this
 * ledger, a restored copy, has no record of.
 */
export interface ComparedStoreView extends Omit<ComparedStore, 'batches'> {
  readonly batches: readonly (Omit<ComparedBatch, 'from' | 'until'> & { readonly from: Date; readonly until: Date })[];
}

/** Converts the result of comparing with the store for display: its times are dates. */
export function viewCompared({ batches, ...compared }: ComparedStore): ComparedStoreView {
  const times = ({ from, until }: ComparedBatch) => ({ from: new Date(from), until: new Date(until) });
  return { ...compared, batches: batches.map((batch) => ({ ...batch, ...times(batch) })) };
}

/**
 * Groups the entries of a tally by batch. An entry counts rows in one outcome or state (`standing`), or is a sum of
 * money in millionths of a credit (`what`: its name); sums that are not shown are left out.
 */
export function viewSums(tally: Tally): readonly BatchSums[] {
  const batches = new Map<string, BatchSums & { readonly rows: Map<string, number> }>();
  for (const { batch, what, n, standing } of tally.values()) {
    const sums = batches.get(batch) ?? { batch, rows: new Map<string, number>(), charged: 0, uncertain: 0 };
    if (standing !== undefined) sums.rows.set(standing, (sums.rows.get(standing) ?? 0) + n);
    batches.set(batch, {
      ...sums,
      ...(what === 'charged' ? { charged: n / MILLIONTHS } : {}),
      ...(what === 'unknown_quoted' ? { uncertain: n / MILLIONTHS } : {}),
    });
  }
  return [...batches.values()];
}
