import type { Copied } from '../../ledger/copy/copy-ledger.ts';
import type { ComparedBatch, ComparedStore } from './compare-store.ts';
import { MILLIONTHS, type Difference, type Tally } from '../../ledger/copy/tally.ts';

/** What one batch adds up to, counted from its rows and charges. */
export interface BatchSums {
  readonly batch: string;
  /** Rows by outcome, or by state if they are open; those that `--limit` or `--sample` left out as `not_chosen`. */
  readonly rows: ReadonlyMap<string, number>;
  /** Credits. */
  readonly charged: number;
  /** Quotes of requests whose outcome is unknown, credits. */
  readonly uncertain: number;
}

/** `voxbatch ledger copy`. */
export interface LedgerCopyView {
  readonly from: string;
  readonly to: string;
  /**
   * `completed`: an earlier command had copied all, and this one opened the copy. `already`: there was nothing to do.
   */
  readonly result: Copied['type'];
  /** What was compared, and is the same on both sides; empty unless `copied`. */
  readonly batches: readonly BatchSums[];
  /** Lines of each table. */
  readonly lines: ReadonlyMap<string, number>;
}

/** `voxbatch ledger check`. */
export interface LedgerCheckView {
  readonly ledger: string;
  readonly batches: readonly BatchSums[];
  /** Sums and counts that the ledger keeps, and that its rows and charges do not add up to. */
  readonly differences: readonly Difference[];
}

/** `voxbatch ledger compare-store`. Times are when requests may have been sent that are not on record. */
export interface ComparedStoreView extends Omit<ComparedStore, 'batches'> {
  readonly batches: readonly (Omit<ComparedBatch, 'from' | 'until'> & { readonly from: Date; readonly until: Date })[];
}

export function viewCompared({ batches, ...compared }: ComparedStore): ComparedStoreView {
  const times = ({ from, until }: ComparedBatch) => ({ from: new Date(from), until: new Date(until) });
  return { ...compared, batches: batches.map((batch) => ({ ...batch, ...times(batch) })) };
}

/** What each batch adds up to. */
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
