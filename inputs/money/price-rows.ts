import { type PriceTable, billedMedia, type RowSpec, type TtsMode } from '../../contract/row-kinds.ts';
import { sumOfPrices } from '../../contract/price-units.ts';
import type { RowPart } from '../../contract/row-parts.ts';
import { quoteRow } from '../../policy/money/pricing.ts';
import type { Probe } from '../media/probe-media.ts';

/** How rows are priced, and where media durations come from that rows do not state. */
export interface Pricing {
  readonly prices: PriceTable;
  /** The operation used for `tts` rows; decides which price applies. */
  readonly tts: TtsMode;
  /** `--probe`: measures the media behind URLs. By default nothing is measured. */
  readonly probe?: Probe;
  /**
   * `--assume-seconds`: the duration of media that is neither stated nor measured. By default, rows with such media
   * have no price.
   */
  readonly assumeSeconds?: number;
}

/** A row with its price. */
export interface Priced {
  /** Its `duration` is the media's, if that was measured or assumed. */
  readonly spec: RowSpec;
  /** Credits, or null if no price can be known. */
  readonly quoted: number | null;
  /** Whether it is priced at the assumed duration. */
  readonly isAssumed: boolean;
  /** Why its media could not be measured, if that was tried. */
  readonly notProbed?: string;
}

/**
 * Prices rows. If a price depends on media of unknown duration, the media are measured; if that fails, the assumed
 * duration applies. All measurements start together, because the probe limits its own concurrency.
 */
export async function priceRows<Row extends { readonly spec: RowSpec }>(
  rows: readonly Row[],
  pricing: Pricing,
): Promise<readonly (Row & Priced)[]> {
  const { prices, tts } = pricing;
  const priced = rows.map((row) => ({
    ...row,
    quoted: quoteRow(row.spec.kind, row.spec, tts, prices),
    isAssumed: false,
  }));
  if (priced.every(({ quoted }) => quoted !== null)) return priced;
  return Promise.all(
    priced.map(async (row) => (row.quoted === null ? { ...row, ...(await priceByDuration(row.spec, pricing)) } : row)),
  );
}

/** Prices a row with a split text as the sum of its parts. Returns any other row as it is. */
export function priceParts<Row extends Priced>(
  { texts, ...row }: Row & { readonly texts?: readonly string[] },
  { tts, prices }: Pricing,
): Omit<Row, 'texts'> & { readonly parts?: readonly RowPart[] } {
  if (texts === undefined) return row;
  const parts = texts.map((text) => {
    const spec = { ...row.spec, text };
    return { spec, quoted: quoteRow(spec.kind, spec, tts, prices) };
  });
  return { ...row, parts, quoted: sumOfPrices(parts.map(({ quoted }) => quoted)) };
}

/** Prices a row by the duration of its media. */
async function priceByDuration(spec: RowSpec, pricing: Pricing): Promise<Priced> {
  const { prices, tts, probe, assumeSeconds } = pricing;
  const at = (duration: number): Pick<Priced, 'spec' | 'quoted'> => {
    const timed = { ...spec, duration };
    return { spec: timed, quoted: quoteRow(spec.kind, timed, tts, prices) };
  };
  const found = await findLongest(spec, probe);
  if (found !== undefined && 'seconds' in found) return { ...at(found.seconds), isAssumed: false };
  const notProbed = found === undefined ? {} : { notProbed: found.why };
  if (assumeSeconds === undefined) return { spec, quoted: null, isAssumed: false, ...notProbed };
  return { ...at(assumeSeconds), isAssumed: true, ...notProbed };
}

/**
 * Returns the duration of the longest of a row's billed media, in seconds. That of local files is known, media behind
 * URLs are measured. Undefined if some cannot be measured because there is no probe; `why` if measuring fails.
 */
async function findLongest(
  spec: RowSpec,
  probe: Probe | undefined,
): Promise<{ seconds: number } | { why: string } | undefined> {
  const media = billedMedia(spec.kind).flatMap((name) => {
    const cell = spec[name];
    return cell === undefined ? [] : [{ name, cell, known: spec.local?.[name]?.seconds }];
  });
  if (media.length === 0) return undefined;
  if (probe === undefined && media.some(({ known }) => known === undefined)) return undefined;
  const results = await Promise.all(
    media.map(async ({ name, cell, known }) => {
      const result = known === undefined ? await probe?.(cell) : { seconds: known };
      return { name, result };
    }),
  );
  let seconds = 0;
  for (const { name, result } of results) {
    if (result === undefined) return undefined;
    if ('why' in result) return { why: `the ${name} ${result.why}` };
    seconds = Math.max(seconds, result.seconds);
  }
  return { seconds };
}
