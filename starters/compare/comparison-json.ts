import type { BatchComparison, UnlikeRow } from '../../batches/compare/compare-batches.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import type { Spread } from '../../policy/compare/quantile.ts';
import type { Pair } from '../../policy/compare/row-parity.ts';
import { differenceLine } from './difference-line.ts';

/** A comparison for machines; of pairs, the first is of the first batch. `named`: the first rows that differ. */
export function comparisonJson(found: BatchComparison, named: readonly UnlikeRow[]): object {
  const { rows, only, length, words, credits, latency } = found;
  return {
    verdict: found.verdict,
    batches: found.batches.map(({ name, apiUrl, account, settings }) => ({
      ...{ name, api: apiUrl, account, api_dialect: dialectChoiceOf(settings) },
    })),
    rows: { compared: rows.compared, differing: rows.differing, not_run: rows.notRun, open: rows.open, only },
    differences: found.differences,
    outcomes: found.outcomes,
    errors: found.errors,
    length: { rows: length.rows, seconds: length.seconds, change: length.change, unmeasured: found.unmeasured },
    words,
    latency: latency.map(({ step, accepted, finished }) => ({
      step,
      accepted_ms: accepted satisfies Pair<Spread | null>,
      finished_ms: finished satisfies Pair<Spread | null>,
    })),
    credits,
    attempts: found.attempts,
    // JSON has no infinity: null, however much.
    tolerances: found.tolerances,
    judgements: found.judgements.map(({ of, share, tolerance, isWithin }) => ({
      of,
      share,
      tolerance,
      within: isWithin,
    })),
    differing: named.map(differenceLine).map(({ sides, ...line }) => ({
      ...line,
      sides: sides.map((side) => {
        if (side === null) return null;
        const { dialect, errorClass, ...facts } = side;
        return { ...facts, api_dialect: dialect, error_class: errorClass };
      }),
    })),
  };
}
