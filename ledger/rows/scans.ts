import type { Compilable } from 'kysely';
import type { FailureClass } from '../../contract/failures.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import { isChosen, isNoPart, isNotChosen, isPart } from '../conditions.ts';
import type { RowSnapshot } from './row-records.ts';
import { readRows } from './rows.ts';
import type { Db } from '../schema.ts';
import { readSnapshot } from '../database/transactions.ts';

/** Which rows a scan returns. Default: all rows of the manifest, in manifest order. */
export interface ScanOptions {
  /** Only rows with this outcome. */
  readonly outcome?: Outcome;
  /** Only rows with a failure of this class. */
  readonly class?: FailureClass;
  /** Only rows that have not ended. */
  readonly isOpen?: true;
  /** True: only rows that `--limit` or `--sample` left out. False: only the others. */
  readonly isNotChosen?: boolean;
  /** Only rows that ended at this time (ms) or later, in the order in which they ended. */
  readonly endedSince?: number;
  /** Replaces each split row with its parts, so that every returned row makes requests. */
  readonly inParts?: true;
  /** Only parts of rows. */
  readonly onlyParts?: true;
}

/** Where a page of a scan ended. */
export interface ScanPosition {
  readonly row: number;
  /** When its last row ended, ms; 0 in a scan in manifest order. */
  readonly endedAt: number;
}

/** One page of a scan. */
export interface ScanPage {
  readonly rows: readonly RowSnapshot[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: ScanPosition | undefined;
}

/** Rows of a page. */
const PAGE = 500;

/**
 * Reads one page of `Ledger.scanRows`: the rows after this position with their charges, as of one moment. The position
 * is a key, so a page costs the same anywhere in a batch.
 */
export async function scanPage(db: Db, batch: string, options: ScanOptions, after: ScanPosition): Promise<ScanPage> {
  return readSnapshot(db, async (tx) => {
    const keys = await selectPage(tx, batch, options, after).execute();
    const rows = await readRows(
      tx,
      batch,
      keys.map(({ row }) => row),
    );
    const last = keys.at(-1);
    const next = last === undefined || keys.length < PAGE ? undefined : { row: last.row, endedAt: last.ended_at ?? 0 };
    if (options.endedSince === undefined) return { rows, next };
    // `readRows` returns them in manifest order.
    const places = new Map(keys.map(({ row }, place) => [row, place]));
    const placeOf = ({ row }: RowSnapshot): number => places.get(row.row) ?? 0;
    return { rows: rows.toSorted((a, b) => placeOf(a) - placeOf(b)), next };
  });
}

/** Selects the rows of a page. Exported for the test of its query plan. */
export function selectPage(
  db: Db,
  batch: string,
  { outcome, class: name, isOpen, isNotChosen: wanted, endedSince, inParts, onlyParts }: ScanOptions,
  after: ScanPosition,
): Compilable & { execute(): Promise<{ row: number; ended_at: number | null }[]> } {
  let query = db.selectFrom('rows').select(['row', 'ended_at']).where('batch', '=', batch).limit(PAGE);
  if (onlyParts === true) query = query.where(isPart('rows'));
  else query = inParts === true ? query.where('parts', 'is', null) : query.where(isNoPart('rows'));
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (name !== undefined) query = query.where('failure_class', '=', name);
  if (isOpen === true) query = query.where('outcome', 'is', null);
  if (wanted !== undefined) query = query.where(wanted ? isNotChosen('rows') : isChosen('rows'));
  if (endedSince === undefined) return query.where('row', '>', after.row).orderBy('row');
  // Sorting by row number only would make a database scan all rows of the batch.
  return query
    .where('ended_at', '>=', Math.max(endedSince, after.endedAt))
    .where((eb) => eb.or([eb('ended_at', '>', after.endedAt), eb('row', '>', after.row)]))
    .orderBy('ended_at')
    .orderBy('row');
}
