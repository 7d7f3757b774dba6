import { PRICE_UNITS } from '../../contract/price-units.ts';
import { BUILT_IN_PRICES, OPERATIONS, priceIn } from '../../contract/row-kinds.ts';
import { table } from './markdown.ts';

/** What each operation costs where the user sets no price. */
export function priceTable(): string {
  const rows = OPERATIONS.map((operation) => {
    const { unit, credits, cjkFactor } = priceIn(BUILT_IN_PRICES, operation);
    const cjk = cjkFactor === undefined ? '' : `; a CJK character counts as ${cjkFactor}`;
    return [`\`${operation}\``, String(credits), `${PRICE_UNITS[unit].words}${cjk}`];
  });
  return table(['operation', 'credits', 'unit'], rows);
}
