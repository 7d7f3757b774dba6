import type { Ledger } from '../../ledger/ledger.ts';
import type { RowFilter } from '../../ledger/look/row-filter.ts';
import { MOST_RANKED, type RankedRow, type Ranking, type RankOrder } from '../../ledger/look/row-ranks.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';

type RankLedger = Pick<Ledger, 'rankRows' | 'rowsNumbered' | 'counts'>;

/** A page of a ranking. */
export interface RankPage {
  readonly rows: readonly RowRecord[];
  /** `more`: ask on, after its last row. `comparing`: ask again for the same page. */
  readonly then: 'more' | 'comparing' | 'end';
  /** The last row, with the value that it is ranked by. */
  readonly last: RankedRow | undefined;
}

interface Kept {
  readonly question: string;
  readonly after: RankedRow | undefined;
  readonly since: number;
  /** The counts of the batch when it was begun: while they are the same, so are the rows. */
  readonly counts: string;
  ranking: Ranking;
}

/** Rankings that are kept: of some tabs that turn pages. */
const MOST_KEPT = 8;
/** While its batch goes on, a ranking is right enough for pages that follow each other for so long, ms. */
const FRESH_MS = 10_000;

/** Rows of batches in an order that has no index. What was found is kept for the pages that follow. */
export class RowRanks {
  readonly #kept = new Set<Kept>();

  /** One page. Compares rows for a limited time: the same question goes on with that. */
  async page(
    ledger: RankLedger,
    batch: string,
    {
      filter,
      order,
      after,
    }: { readonly filter: RowFilter; readonly order: RankOrder; readonly after?: RankedRow | undefined },
    most: number,
  ): Promise<RankPage> {
    const question = JSON.stringify([batch, filter, order]);
    const counts = JSON.stringify(await ledger.counts(batch));
    for (const one of this.#kept) {
      const isOld = one.counts !== counts && performance.now() - one.since > FRESH_MS;
      if (isOld && one.ranking.next === undefined) this.#kept.delete(one);
    }
    const known = [...this.#kept].find((one) => one.question === question && placeIn(one, after, most) >= 0);
    const kept = known ?? this.#begin({ question, after, counts });
    if (kept.ranking.next !== undefined) {
      const begun = kept.after === undefined ? {} : { after: kept.after };
      kept.ranking = await ledger.rankRows(batch, filter, order, { ...begun, before: kept.ranking });
    }
    if (kept.ranking.next !== undefined) return { rows: [], then: 'comparing', last: undefined };
    const from = placeIn(kept, after, most);
    const { rows: ranked } = kept.ranking;
    const found = ranked.slice(from, from + most);
    const isEnd = from + most >= ranked.length && ranked.length < MOST_RANKED;
    const rows = await ledger.rowsNumbered(
      batch,
      found.map(({ row }) => row),
    );
    return { rows, then: isEnd ? 'end' : 'more', last: found.at(-1) };
  }

  #begin(facts: Pick<Kept, 'question' | 'after' | 'counts'>): Kept {
    const kept = { ...facts, since: performance.now(), ranking: { rows: [], next: 0 } };
    this.#kept.add(kept);
    const [oldest] = this.#kept;
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }
}

/** Where the page after a row begins in a ranking; -1 if the ranking does not have it whole. */
function placeIn({ after: begun, ranking: { rows, next } }: Kept, after: RankedRow | undefined, most: number): number {
  if (begun?.row === after?.row && begun?.value === after?.value) return 0;
  if (next !== undefined) return -1;
  const at = rows.findIndex(({ row, value }) => row === after?.row && value === after.value) + 1;
  return at > 0 && (at + most <= rows.length || rows.length < MOST_RANKED) ? at : -1;
}
