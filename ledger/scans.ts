import type { Outcome } from '../contract/outcomes.ts';
import type { RowStanding } from './record-types.ts';
import { readRows } from './rows.ts';
import { look, type Db, type Tx } from './schema.ts';

export interface ScanOptions {
  /** Only rows that ended like this. */
  readonly outcome?: Outcome;
  /** Only rows that ended at this time (ms) or later. */
  readonly endedSince?: number;
}

const PAGE = 500;

/**
 * Rows in manifest order with their charges. A page is read at a time, each as of one moment; the ledger may change between pages.
 */
export async function* scanRows(db: Db, batch: string, options: ScanOptions = {}): AsyncGenerator<RowStanding> {
  const nextPage =
    options.endedSince === undefined ? pagesOf(batch, options.outcome) : await pagesSince(db, batch, options);
  for (let after = 0; ;) {
    const page = await look(db, async (tx) => readRows(tx, batch, await nextPage(tx, after)));
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.row.row;
  }
}

type NextPage = (tx: Tx, after: number) => Promise<readonly number[]>;

function pagesOf(batch: string, outcome: Outcome | undefined): NextPage {
  return async (tx, after) => {
    let query = tx.selectFrom('rows').select('row').where('batch', '=', batch).where('row', '>', after);
    if (outcome !== undefined) query = query.where('outcome', '=', outcome);
    const lines = await query.orderBy('row').limit(PAGE).execute();
    return lines.map(({ row }) => row);
  };
}

/**
 * Which rows ended is looked up once, by the index on the time, and put in order here: asked to sort, a database would rather
 * walk through all rows of the batch, on every page. Numbers are small; a million fit in a few megabytes.
 */
async function pagesSince(db: Db, batch: string, options: ScanOptions): Promise<NextPage> {
  let query = db
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('ended_at', '>=', options.endedSince ?? 0);
  if (options.outcome !== undefined) query = query.where('outcome', '=', options.outcome);
  const rows = (await query.execute()).map(({ row }) => row).sort((a, b) => a - b);
  let at = 0;
  return () => Promise.resolve(rows.slice(at, (at += PAGE)));
}
