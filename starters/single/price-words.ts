import type { AskEvent } from '../../client/single/ask-single.ts';
import { pricingLines } from '../run/pricing-words.ts';
import { inCredits } from '../terminal/money.ts';
import { plural } from '../terminal/words.ts';

/**
 * What is told of a job before it is paid for, as lines for people. `isProbed`: its media are read, so that they do not tell its
 * length if it is not known then; `retakes`: takes that may follow by themselves.
 */
export function askLines(
  event: AskEvent,
  { isProbed, retakes }: { readonly isProbed: boolean; readonly retakes: number },
): readonly string[] {
  switch (event.type) {
    case 'found':
    case 'more':
      return [];
    case 'voices':
      // Its line says nothing: there is one.
      return event.warnings.map(({ message }) => `warning: ${message}`);
    case 'priced': {
      if (event.reasons.cached.rows > 0) return ['An earlier, equal row has this result: it costs nothing.'];
      return event.cache === 'only' ? [] : [`${priceOf(event.facts, isProbed)}${retakesText(retakes)}`];
    }
    case 'again':
      return [
        event.facts === undefined
          ? 'Its job was paid for: waiting for its result again costs nothing.'
          : `A new take. ${priceOf(event.facts)}`,
      ];
    default:
      return pricingLines(event);
  }
}

type Facts = Pick<Extract<AskEvent, { readonly type: 'priced' }>['facts'], 'isEstimate'> & {
  readonly bill: { readonly unpriced: number; readonly quoted: number };
};

function priceOf({ bill, isEstimate }: Facts, isProbed = false): string {
  if (bill.unpriced === 0) return `It costs ${isEstimate ? 'about ' : ''}${inCredits(bill.quoted)}.`;
  return `Its price depends on the length of its media, which is not known${isProbed ? '' : ' (--probe reads it, free)'}.`;
}

/** They are not in the price. */
function retakesText(retakes: number): string {
  return retakes === 0 ? '' : ` Up to ${plural(retakes, 'retake')} may follow, each at full price.`;
}
