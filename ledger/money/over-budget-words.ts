import type { Failure } from '../../contract/failures.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Intent } from '../requests/intent-records.ts';
import { quotesOf, type UnsentPart } from '../parts/part-budgets.ts';
import type { RowLine } from '../schema.ts';

/** Why a budget has no room for a request, in words. */

/** Max characters of a message. */
const LONGEST = 500;

/** Prefix of the message for a request that was to be sent again. */
const NOT_AGAIN = 'Not sent again: it would exceed';

/** A row's charges so far. */
export interface Charged {
  readonly charged: number;
  /** Requests that may have been charged, too. */
  readonly inDoubt: number;
}

export const UNCHARGED: Charged = { charged: 0, inDoubt: 0 };

/** Why a request is not sent. */
export interface Unsent {
  /** The budget and the required credits, in words. */
  readonly sums: string;
  /** The row's earlier charges. */
  readonly before: Charged;
  /** The request was to be made again, for a further take. */
  readonly isAgain: boolean;
}

/** `Not sent: it would exceed the budget of 5 credits (4 spent or reserved). Nothing was charged.` */
export function notSent({ sums, before: { charged, inDoubt }, isAgain }: Unsent): string {
  const words = [
    `${isAgain ? NOT_AGAIN : 'Not sent: it would exceed'} ${sums}.`,
    ...(charged > 0 ? [`The row has cost ${credits(charged)} before.`] : []),
    ...(inDoubt > 0 ? ['An earlier request may have been charged.'] : []),
  ];
  return [...words, ...(words.length === 1 ? ['Nothing was charged.'] : [])].join(' ');
}

/** A failure with these words appended to its message, shortened to fit. */
export function withWords(failure: Failure, words: string): Failure {
  return { ...failure, message: `${failure.message.slice(0, LONGEST - words.length - 1)} ${words}` };
}

/** The failure of a request in doubt that is not sent again. Replaces the note of an earlier try. */
export function withNoResend(failure: Failure, sums: string): Failure {
  const [message = ''] = failure.message.split(` ${NOT_AGAIN}`);
  return withWords({ ...failure, message }, `${NOT_AGAIN} ${sums}.`);
}

/** `the budget of 5 credits (4 spent or reserved, this row costs 2)` */
export function sumsInWords(budget: number, spent: number, costs?: string): string {
  return `the budget of ${credits(budget)} credits (${credits(spent)} spent or reserved${costs === undefined ? '' : `, ${costs}`})`;
}

/**
 * The request and its price, in words; undefined if the price is unknown. `parts`: a part's unsent siblings.
 * `atEarlierPrices`: the possible cost, judging by earlier charges.
 */
export function costInWords(
  intent: Intent,
  row: RowLine,
  parts: readonly UnsentPart[],
  atEarlierPrices: number | null,
): string | undefined {
  if (intent.quoted === null) return undefined;
  const quoted = roundCredits(
    [intent.quotedRest ?? 0, ...(quotesOf(parts) ?? [])].reduce((sum, one) => sum + one, intent.quoted),
  );
  const upTo =
    atEarlierPrices === null || roundCredits(atEarlierPrices) <= quoted
      ? ''
      : `, or up to ${credits(atEarlierPrices)} at the prices charged so far`;
  const cost = `${credits(quoted)}${upTo}`;
  if (row.part_of === null) return `this row costs ${cost}`;
  return parts.length === 0 ? `this part costs ${cost}` : `its ${credits(parts.length + 1)} unsent parts cost ${cost}`;
}

/** `10,400.5` */
function credits(value: number): string {
  return roundCredits(value).toLocaleString('en-US', { maximumFractionDigits: 6 });
}
