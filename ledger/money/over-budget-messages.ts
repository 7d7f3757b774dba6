import type { Failure } from '../../contract/failures.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Intent } from '../requests/intent-records.ts';
import { quotesOf, type UnsentPart } from '../parts/part-budgets.ts';
import type { RowLine } from '../schema.ts';

/*
 * Messages for rows that end because the budget has no room for their request (`over-budget.ts`). Amounts are credits.
 */

/** Max length of a failure's message, in characters. */
const MAX_MESSAGE_LENGTH = 500;

/** Prefix of the message for a request that was to be sent once more, for a further take. */
const NOT_AGAIN = 'Not sent again: it would exceed';

/** What a row's earlier requests have cost. */
export interface EarlierCharges {
  /** Credits. */
  readonly charged: number;
  /** Number of requests in doubt, which may have been charged, too. */
  readonly inDoubt: number;
}

/** For a row that no request was sent for before. */
export const NO_CHARGES: EarlierCharges = { charged: 0, inDoubt: 0 };

/** Why a request is not sent. */
export interface NotSent {
  /** The budget and the required credits, in words, from {@link describeBudget}. */
  readonly sums: string;
  /** What the row has cost before. */
  readonly before: EarlierCharges;
  /** Whether the request was to be sent once more, for a further take. */
  readonly isAgain: boolean;
}

/** Returns, e.g., `Not sent: it would exceed the budget of 5 credits (4 spent or reserved). Nothing was charged.` */
export function notSentMessage({ sums, before: { charged, inDoubt }, isAgain }: NotSent): string {
  const sentences = [`${isAgain ? NOT_AGAIN : 'Not sent: it would exceed'} ${sums}.`];
  if (charged > 0) sentences.push(`The row has cost ${formatCredits(charged)} before.`);
  if (inDoubt > 0) sentences.push('An earlier request may have been charged.');
  if (charged <= 0 && inDoubt <= 0) sentences.push('Nothing was charged.');
  return sentences.join(' ');
}

/** Returns a failure with a sentence appended to its message, which is shortened so that both fit. */
export function withMessageAppended(failure: Failure, sentence: string): Failure {
  return { ...failure, message: `${failure.message.slice(0, MAX_MESSAGE_LENGTH - sentence.length - 1)} ${sentence}` };
}

/** Returns the failure of a request in doubt with the reason why it is not sent again, in place of an earlier one. */
export function withNotResent(failure: Failure, sums: string): Failure {
  const [message = ''] = failure.message.split(` ${NOT_AGAIN}`);
  return withMessageAppended({ ...failure, message }, `${NOT_AGAIN} ${sums}.`);
}

/**
 * Returns, e.g., `the budget of 5 credits (4 spent or reserved, this row costs 2)`; `costs`: from {@link describeCost}.
 */
export function describeBudget(budget: number, spent: number, costs?: string): string {
  return `the budget of ${formatCredits(budget)} credits (${formatCredits(spent)} spent or reserved${costs === undefined ? '' : `, ${costs}`})`;
}

/**
 * Returns the price of a row's request and later steps, e.g. `this row costs 2`; undefined if it is unknown. `parts`:
 * if the row is a part, the other unsent parts of its row. `atEarlierPrices`: the possible cost in credits, judging by
 * earlier charges; null if unknown.
 */
export function describeCost(
  intent: Intent,
  row: RowLine,
  parts: readonly UnsentPart[],
  atEarlierPrices: number | null,
): string | undefined {
  if (intent.quoted === null) return undefined;
  const quotes = [intent.quotedRest ?? 0, ...(quotesOf(parts) ?? [])];
  const quoted = roundCredits(quotes.reduce((sum, quote) => sum + quote, intent.quoted));
  const mayCostMore = atEarlierPrices !== null && roundCredits(atEarlierPrices) > quoted;
  const upTo = mayCostMore ? `, or up to ${formatCredits(atEarlierPrices)} at the prices charged so far` : '';
  const cost = `${formatCredits(quoted)}${upTo}`;
  if (row.part_of === null) return `this row costs ${cost}`;
  return parts.length === 0
    ? `this part costs ${cost}`
    : `its ${formatCredits(parts.length + 1)} unsent parts cost ${cost}`;
}

/** Formats an amount or a number, e.g. `10,400.5`. */
function formatCredits(value: number): string {
  return roundCredits(value).toLocaleString('en-US', { maximumFractionDigits: 6 });
}
