import type { RedriveForecast } from '../../batches/redrive/redrive-tally.ts';
import type { RedrivePreview } from './redrive-options.ts';

/**
 * Makes the JSON value of a redrive's preview (`redrive --dry-run --json`). It counts:
 * - `rows` with something to do, and their `parts` of split text. `paying` of the rows cost something; `waits` only
 *   wait for their jobs again; `accepts` are accepted as they are, and `returns` of these go back to an earlier take.
 * - `leftOut`: rows left alone because they have not ended (`open`), have a result, have no `unfit` result to accept
 *   (`noUnfit`), or may have been charged (`inDoubt`).
 * - `replaced`: rows whose result is replaced; `lost` of these have lost their stored file.
 *
 * @param texts `asks`: the questions that would be asked, as sentences; `refusal`: why it would be refused
 */
export function viewPreview(
  { forecast, facts }: Extract<RedrivePreview, { readonly type: 'ready' }>,
  batch: string,
  { asks, refusal }: { readonly asks: readonly string[]; readonly refusal: string | null },
) {
  const { count: rows, parts, paying, bill, isEstimate, waits, accepts, returns, left, replaced, lost } = forecast;
  return {
    ...{ batch, rows, parts, paying, credits: bill.quoted, estimated: isEstimate, unpriced: bill.unpriced },
    ...{ waits, accepts, returns },
    leftOut: {
      open: left.open,
      hasResult: left['has-result'],
      noUnfit: left['no-unfit'],
      inDoubt: leftInDoubt(forecast),
    },
    ...{ replaced, lost, mayBeChargedTwice: forecast.resubmitted, asks, budgetLeft: facts.budget, refusal },
  };
}

/** Counts the rows, or parts of rows, that are left out because they may have been charged. */
function leftInDoubt({ refusedFor }: Pick<RedriveForecast, 'refusedFor'>): number {
  return [...refusedFor.values()].reduce((sum, rows) => sum + rows, 0);
}
