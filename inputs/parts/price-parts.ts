import { roundCredits } from '../../contract/price-units.ts';
import type { RowPart } from '../../contract/row-parts.ts';
import { quoteRow } from '../../policy/money/pricing.ts';
import type { ManifestRow, UnpricedRow } from '../manifest-row.ts';
import type { Priced, Pricing } from '../money/price-rows.ts';

/** Prices a row by its parts: a row whose text was cut costs what its parts cost. */
export function priceParts(unsplit: UnpricedRow & Priced, { tts, prices }: Pricing): ManifestRow {
  if (unsplit.texts === undefined) return unsplit;
  const { texts, ...row } = unsplit;
  const parts = texts.map((text) => {
    const spec = { ...row.spec, text };
    return { spec, quoted: quoteRow(spec.kind, spec, tts, prices) };
  });
  return { ...row, parts, quoted: sumOf(parts) };
}

/** Null if the price of a part is not known. */
function sumOf(parts: readonly RowPart[]): number | null {
  const quotes = parts.flatMap(({ quoted }) => quoted ?? []);
  return quotes.length < parts.length ? null : roundCredits(quotes.reduce((sum, quote) => sum + quote, 0));
}
