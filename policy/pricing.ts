import { costOf, roundCredits } from '../contract/price-units.ts';
import {
  type PriceTable,
  ROW_KINDS,
  operationOf,
  type Kind,
  type Operation,
  type RowSpec,
  type Step,
  type TtsMode,
} from '../contract/row-kinds.ts';

/**
 * What a request will cost, in credits, by the price table. Pure, and free of Node's globals: it also runs in the
 * workflow sandbox.
 */

/** Price of one request, or null where it cannot be known (no text, no duration). */
export function quoteStep(operation: Operation, spec: RowSpec, prices: PriceTable): number | null {
  return costOf(prices[operation], spec);
}

/** Price of a row: the sum of its steps, or null if the price of any step is unknown. */
export function quoteRow(kind: Kind, spec: RowSpec, tts: TtsMode, prices: PriceTable): number | null {
  return quoteSteps(ROW_KINDS[kind].steps, spec, { prices, tts });
}

/** Price of these steps of a row together, or null if the price of any of them is unknown. */
export function quoteSteps(
  steps: readonly Step[],
  spec: RowSpec,
  { prices, tts }: { readonly prices: PriceTable; readonly tts: TtsMode },
): number | null {
  let sum = 0;
  for (const step of steps) {
    const quote = quoteStep(operationOf(spec, step, tts), spec, prices);
    if (quote === null) return null;
    sum += quote;
  }
  return roundCredits(sum);
}

/**
 * Price of the request for a step of a row (`quoted`), and of all later steps of the row together (`quotedRest`). Each is null where it
 * cannot be known.
 */
export function quoteFrom(
  kind: Kind,
  step: Step,
  spec: RowSpec,
  { prices, tts }: { readonly prices: PriceTable; readonly tts: TtsMode },
): { readonly quoted: number | null; readonly quotedRest: number | null } {
  const { steps } = ROW_KINDS[kind];
  let quotedRest: number | null = 0;
  for (const later of steps.slice(steps.indexOf(step) + 1)) {
    const quote = quoteStep(operationOf(spec, later, tts), spec, prices);
    quotedRest = quote === null || quotedRest === null ? null : quotedRest + quote;
  }
  return { quoted: quoteStep(operationOf(spec, step, tts), spec, prices), quotedRest };
}
