import type { Ledger } from '../../ledger/ledger.ts';
import type { RowFilter } from '../../ledger/rows/row-filter.ts';
import { MAX_RANKED, type RankedRow, type Ranking, type RankOrder } from '../../ledger/rows/row-ranks.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';

type RankLedger = Pick<Ledger, 'rankRows' | 'rowsNumbered' | 'counts'>;

/** A page of a ranking. */
export interface RankPage {
  readonly rows: readonly RowRecord[];
  /**
   * What to request next. `more`: the page after its last row. `comparing`: the same page again, because not all rows
   * were compared in the time allowed.
   */
  readonly then: 'more' | 'comparing' | 'end';
  /** The last row, with the value that it is ranked by. */
  readonly last: RankedRow | undefined;
}

/** A cached ranking. */
interface CachedRanking {
  /** Batch, filter and order, as JSON. */
  readonly key: string;
  /** It starts after this row; undefined for the beginning. */
  readonly after: RankedRow | undefined;
  /** When it was begun, monotonic, ms. */
  readonly since: number;
  /** The batch's counts when it was begun, as JSON: while they are the same, so are the rows. */
  readonly counts: string;
  /** The rows compared so far; `next`: the first row not yet compared, undefined once all are. */
  ranking: Ranking;
}

/** Max cached rankings: enough for a few browser tabs. */
const MAX_CACHED = 8;
/** While its batch is running, a ranking serves the following pages for this long, ms. */
const FRESH_MS = 10_000;

/**
 * Pages of rows in an order that has no index. Ranking compares all rows of a batch, a limited time per request, so
 * rankings are cached for the requests that follow.
 */
export class RowRanks {
  readonly #cached = new Set<CachedRanking>();

  /**
   * Reads one page, or continues comparing.
   *
   * @param after the last row of the page before; undefined for the first page
   * @param maxRows max rows of the page
   */
  async page(
    ledger: RankLedger,
    batch: string,
    {
      filter,
      order,
      after,
    }: { readonly filter: RowFilter; readonly order: RankOrder; readonly after?: RankedRow | undefined },
    maxRows: number,
  ): Promise<RankPage> {
    const key = JSON.stringify([batch, filter, order]);
    const counts = JSON.stringify(await ledger.counts(batch));
    for (const one of this.#cached) {
      const isStale = one.counts !== counts && performance.now() - one.since > FRESH_MS;
      if (isStale && one.ranking.next === undefined) this.#cached.delete(one);
    }
    const known = [...this.#cached].find((one) => one.key === key && indexAfter(one, after, maxRows) >= 0);
    const cached = known ?? this.#begin({ key, after, counts });
    if (cached.ranking.next !== undefined) {
      const begun = cached.after === undefined ? {} : { after: cached.after };
      cached.ranking = await ledger.rankRows(batch, filter, order, { ...begun, before: cached.ranking });
    }
    if (cached.ranking.next !== undefined) return { rows: [], then: 'comparing', last: undefined };
    const from = indexAfter(cached, after, maxRows);
    const { rows: ranked } = cached.ranking;
    const found = ranked.slice(from, from + maxRows);
    // A ranking with the max number of rows may have left some out.
    const isEnd = from + maxRows >= ranked.length && ranked.length < MAX_RANKED;
    const rows = await ledger.rowsNumbered(
      batch,
      found.map(({ row }) => row),
    );
    return { rows, then: isEnd ? 'end' : 'more', last: found.at(-1) };
  }

  #begin(facts: Pick<CachedRanking, 'key' | 'after' | 'counts'>): CachedRanking {
    const begun = { ...facts, since: performance.now(), ranking: { rows: [], next: 0 } };
    this.#cached.add(begun);
    const [oldest] = this.#cached;
    if (this.#cached.size > MAX_CACHED && oldest !== undefined) this.#cached.delete(oldest);
    return begun;
  }
}

/** The index in a ranking at which the page after a row begins; -1 if the ranking does not have the complete page. */
function indexAfter(
  { after: begun, ranking: { rows, next } }: CachedRanking,
  after: RankedRow | undefined,
  maxRows: number,
): number {
  if (begun?.row === after?.row && begun?.value === after?.value) return 0;
  if (next !== undefined) return -1;
  const at = rows.findIndex(({ row, value }) => row === after?.row && value === after.value) + 1;
  return at > 0 && (at + maxRows <= rows.length || rows.length < MAX_RANKED) ? at : -1;
}
