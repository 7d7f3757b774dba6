import { ownColumnOf } from '../rows/column-of-field.ts';
import { costOf, sumOfPrices, type BilledWork } from '../../contract/price-units.ts';
import {
  type PriceTable,
  checkedStepOf,
  factsOf,
  operationOf,
  priceIn,
  stepsIn,
  type Kind,
  type Operation,
  type RowSpec,
  type Step,
  type TtsMode,
} from '../../contract/row-kinds.ts';

/**
 * Quotes: the price of requests in credits, from the price table. Pure, and free of Node's globals: it also runs in the
 * workflow sandbox.
 */

/** Inputs to a step's price besides the row. */
interface PriceTerms {
  readonly prices: PriceTable;
  readonly tts: TtsMode;
  /** Length of the audio to check; undefined if it does not exist yet. */
  readonly heardSeconds?: number | undefined;
}

/**
 * Returns the price of one request; null if unknown (no text, no duration, no number). An earlier version
 * accepted `api.text` beside the column `text`. It is unknown which of them the API reads, so the higher price counts.
 */
export function quoteStep(operation: Operation, spec: RowSpec, prices: PriceTable): number | null {
  const price = priceIn(prices, operation);
  const work = billedIn(operation, spec);
  let highest = costOf(price, work);
  for (const [field, text] of Object.entries(spec.extra)) {
    if (ownColumnOf(spec.kind, field) !== 'text') continue;
    const cost = typeof text === 'string' ? costOf(price, { ...work, text }) : null;
    highest = highest === null || cost === null ? null : Math.max(highest, cost);
  }
  return highest;
}

function billedIn(operation: Operation, spec: RowSpec): BilledWork {
  const { numberOf } = factsOf(operation);
  const number = numberOf === undefined ? undefined : spec[numberOf];
  const { text, duration } = spec;
  return { text, duration, number: typeof number === 'number' ? number : undefined };
}

/** Returns the price of a row: the sum of its steps, or null if the price of any step is unknown. */
export function quoteRow(kind: Kind, spec: RowSpec, tts: TtsMode, prices: PriceTable): number | null {
  return quoteSteps(stepsIn({ kind, verify: spec.verify }), spec, { prices, tts });
}

/** Returns the price of these steps of a row together, or null if the price of any of them is unknown. */
export function quoteSteps(steps: readonly Step[], spec: RowSpec, terms: PriceTerms): number | null {
  return sumOfPrices(steps.map((step) => priceOf(step, spec, terms)));
}

/**
 * Returns the price of the request for a step (`quoted`), and of all later steps of the row together (`quotedRest`).
 * Each is null if unknown.
 */
export function quoteFrom(
  kind: Kind,
  step: Step,
  spec: RowSpec,
  terms: PriceTerms,
): { readonly quoted: number | null; readonly quotedRest: number | null } {
  const steps = stepsIn({ kind, verify: spec.verify });
  const later = steps.slice(steps.indexOf(step) + 1);
  return { quoted: priceOf(step, spec, terms), quotedRest: quoteSteps(later, spec, terms) };
}

/** Returns the price of a step. A check costs by the length of its audio, estimated from the text until that exists. */
function priceOf(step: Step, spec: RowSpec, terms: PriceTerms): number | null {
  const { prices, tts } = terms;
  const isCheck = checkedStepOf(spec.kind, step) !== undefined;
  const work = isCheck ? { ...spec, duration: terms.heardSeconds ?? spokenSeconds(spec) } : spec;
  return quoteStep(operationOf(spec, step, tts), work, prices);
}

/**
 * Estimates how long a text takes to speak, in seconds: 15 characters per second (150 English words per minute), or 4.5
 * CJK characters, divided by `speed`.
 */
export function spokenSeconds({ text = '', speed = 1 }: Pick<RowSpec, 'text' | 'speed'>): number {
  const cjk = text.match(/[\u2E80-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]/g)?.length ?? 0;
  return ((text.length - cjk) / 15 + cjk / 4.5) / speed;
}
