import type { Price, PriceTable } from '../contract/prices.ts';
import { ROW_KINDS, operationOf } from '../contract/row-kinds.ts';
import type { Kind, Operation, RowSpec, Step, TtsMode } from '../contract/row-kinds.ts';

/**
 * What a request will cost, in credits, by the price table. Pure, and free of Node's globals: it also runs in the
 * workflow sandbox.
 */

/**
 * Characters that are billed as CJK: Han, Hiragana, Katakana and Hangul with their extensions, CJK punctuation
 * (U+3000 to U+303F) and full-width forms. The last two are our cautious reading: a quote should not be too low.
 */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFFEE]/u;
/** No CJK character comes before Hangul Jamo, so most texts never reach the expression above. */
const FIRST_CJK = 0x1100;

/** Price of one request, or null where it cannot be known (no text, no duration). */
export function quoteStep(operation: Operation, spec: RowSpec, prices: PriceTable): number | null {
  const price = prices[operation];
  switch (price.unit) {
    case 'character':
      return spec.text === undefined ? null : Math.ceil(tidy(billedCharacters(spec.text, price) * price.credits));
    case 'second':
      return spec.duration === undefined ? null : tidy(Math.ceil(spec.duration) * price.credits);
    case 'job':
      return price.credits;
  }
}

/** Price of a row: the sum of its steps, or null if the price of any step is unknown. */
export function quoteRow(kind: Kind, spec: RowSpec, tts: TtsMode, prices: PriceTable): number | null {
  let sum = 0;
  for (const step of ROW_KINDS[kind].steps) {
    const quote = quoteStep(operationOf(kind, step, tts), spec, prices);
    if (quote === null) return null;
    sum += quote;
  }
  return tidy(sum);
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
    const quote = quoteStep(operationOf(kind, later, tts), spec, prices);
    quotedRest = quote === null || quotedRest === null ? null : quotedRest + quote;
  }
  return { quoted: quoteStep(operationOf(kind, step, tts), spec, prices), quotedRest };
}

/** Code points of the text, each CJK one counted `cjkFactor` times. */
function billedCharacters(text: string, price: Price): number {
  let plain = 0;
  let cjk = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint >= FIRST_CJK && CJK.test(character)) cjk++;
    else plain++;
  }
  return plain + cjk * (price.cjkFactor ?? 1);
}

/** Takes off what binary fractions add (30 × 0.1 = 3.0000000000000004), so that rounding up stays fair. */
function tidy(credits: number): number {
  return Number(credits.toPrecision(12));
}
