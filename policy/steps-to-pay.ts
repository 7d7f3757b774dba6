import { roundCredits } from '../contract/price-units.ts';
import { operationOf, type PriceTable, type RowSpec, type Step, type TtsMode } from '../contract/row-kinds.ts';
import { quoteStep } from './pricing.ts';

/**
 * The steps, of these in order, whose results must be paid for. The result of the last one is the row's, so with it
 * nothing else is needed; otherwise a result is of use only as far as all before it are there.
 */
export function stepsToPay(steps: readonly Step[], isThere: (step: Step) => boolean): readonly Step[] {
  const last = steps.at(-1);
  if (last === undefined || isThere(last)) return [];
  return steps.slice(steps.findIndex((step) => !isThere(step)));
}

/** What these steps of a row cost together, in credits; null if the price of one cannot be known. */
export function quoteSteps(
  steps: readonly Step[],
  spec: RowSpec,
  { prices, tts }: { readonly prices: PriceTable; readonly tts: TtsMode },
): number | null {
  let sum = 0;
  for (const step of steps) {
    const quote = quoteStep(operationOf(spec.kind, step, tts), spec, prices);
    if (quote === null) return null;
    sum += quote;
  }
  return roundCredits(sum);
}
