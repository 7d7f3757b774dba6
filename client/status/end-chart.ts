import type { Outcome } from '../../contract/outcomes.ts';
import type { EndCount } from '../../ledger/status/end-counts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { spanWidth } from '../../results/report/end-timeline.ts';

/** How many rows ended in each span of time. All spans have the same width; spans without rows are omitted. */
export interface EndChartView {
  /** Start of the first span and end of the last one. */
  readonly from: Date;
  readonly to: Date;
  readonly widthMs: number;
  readonly spans: readonly { readonly at: Date; readonly ends: Readonly<Partial<Record<Outcome, number>>> }[];
}

type ChartLedger = Pick<Ledger, 'countEnds' | 'endRange'>;

/**
 * The chart of a batch that is read repeatedly. The first read counts all rows; later reads count only the last spans,
 * unless rows were reopened or the spans became wider.
 */
export class EndChart {
  #counts: readonly EndCount[] = [];
  #widthMs = 0;
  #reopenedAt: number | null = null;

  /** Reads the current chart; null while no row has ended. */
  async read(
    ledger: ChartLedger,
    { name, reopenedAt }: { readonly name: string; readonly reopenedAt: number | null },
  ): Promise<EndChartView | null> {
    const range = await ledger.endRange(name);
    if (range === null) return null;
    const widthMs = spanWidth(range.last - range.first);
    const isSame = widthMs === this.#widthMs && reopenedAt === this.#reopenedAt;
    const last = this.#counts.at(-1)?.at;
    // Counts the last two spans again, because other machines may record ends a little late.
    const since = isSame && last !== undefined ? last - widthMs : 0;
    const fresh = await ledger.countEnds(name, { first: Math.max(since, range.first), last: range.last }, widthMs);
    this.#counts = [...(isSame ? this.#counts.filter(({ at }) => at < since) : []), ...fresh];
    this.#widthMs = widthMs;
    this.#reopenedAt = reopenedAt;
    return viewOf(this.#counts, widthMs);
  }
}

function viewOf(counts: readonly EndCount[], widthMs: number): EndChartView | null {
  const [first, last] = [counts[0], counts.at(-1)];
  if (first === undefined || last === undefined) return null;
  const spans = new Map<number, Partial<Record<Outcome, number>>>();
  for (const { at, outcome, rows } of counts) spans.set(at, { ...spans.get(at), [outcome]: rows });
  return {
    from: new Date(first.at),
    to: new Date(last.at + widthMs),
    widthMs,
    spans: [...spans].map(([at, ends]) => ({ at: new Date(at), ends })),
  };
}
