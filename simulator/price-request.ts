import { BUILT_IN_PRICES } from '../contract/prices.ts';
import type { Operation } from '../contract/row-kinds.ts';

/** The same characters that our quotes count as CJK (policy/pricing.ts), so that a rehearsal's sums agree. */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFFEE]/u;

/**
 * What the simulator charges for a text, in credits: each character (code point) at its price, CJK characters at their
 * factor, rounded up per request.
 */
export function priceOfText(operation: Operation, text: string): number {
  const { credits, cjkFactor = 1 } = BUILT_IN_PRICES[operation];
  let units = 0;
  for (const character of text) units += CJK.test(character) ? cjkFactor : 1;
  return Math.ceil(units * credits);
}

/** What the simulator charges for media, in credits: each started second. */
export function priceOfSeconds(operation: Operation, seconds: number): number {
  // Rounding noise must not turn 13 seconds, computed as 13.000000001, into 14 started seconds.
  return Math.ceil(seconds - 1e-6) * BUILT_IN_PRICES[operation].credits;
}
