import { attributeOf } from './xml-scanner.ts';

/** What a number in a cell means by its format: a plain number, digits with leading zeros, or a date or time. */
export type CellFormat =
  | { readonly type: 'number' | 'date' | 'time' | 'date-time' | 'duration' }
  | { readonly type: 'digits'; readonly digits: number };

/** The format of a plain number. */
export const NUMBER: CellFormat = { type: 'number' };

/** Formats that a workbook names by a number alone: dates and times of all languages. */
const BUILT_IN: Readonly<Record<number, CellFormat>> = {
  ...ofEach([14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58], 'date'),
  ...ofEach([18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56], 'time'),
  22: { type: 'date-time' },
  46: { type: 'duration' },
};

function ofEach(numbers: readonly number[], type: 'date' | 'time'): Record<number, CellFormat> {
  return Object.fromEntries(numbers.map((number) => [number, { type }]));
}

/** Returns the formats of cells, by the index that cells refer to, from the elements of `styles.xml`. */
export function parseFormats(
  elements: readonly { readonly name: string; readonly attributes: string }[],
): readonly CellFormat[] {
  const codes = new Map<number, CellFormat>();
  const formats: CellFormat[] = [];
  let isCell = false;
  for (const { name, attributes } of elements) {
    const number = Number(attributeOf(attributes, 'numFmtId') ?? 0);
    if (name === 'numFmt') codes.set(number, formatOf(attributeOf(attributes, 'formatCode') ?? ''));
    else if (name === 'cellXfs') isCell = true;
    else if (name === 'cellStyles' || name === 'dxfs') isCell = false;
    else if (name === 'xf' && isCell) formats.push(codes.get(number) ?? BUILT_IN[number] ?? NUMBER);
  }
  return formats;
}

/** Interprets a format code, such as `dd/mm/yyyy` or `0000`. */
function formatOf(code: string): CellFormat {
  const [first = ''] = code.replaceAll(/"[^"]*"|\\.|_.|\*./gu, '').split(';');
  if (/^0{2,}$/u.test(first)) return { type: 'digits', digits: first.length };
  if (/\[(?:h+|m+|s+)\]/iu.test(first)) return { type: 'duration' };
  const letters = first.replaceAll(/\[[^[\]]*\]/gu, '').replaceAll(/general/giu, '');
  const hasTime = /[hs]/iu.test(letters);
  const hasDate = /[dy]/iu.test(letters) || (/m/iu.test(letters) && !hasTime);
  if (hasDate) return { type: hasTime ? 'date-time' : 'date' };
  return hasTime ? { type: 'time' } : NUMBER;
}

const DAY_SECONDS = 86_400;
/** 9999-12-31, in days. */
const LAST_DAY = 2_958_465;

/**
 * Formats a number as the user sees it: without the noise of floating point, with leading zeros, or as a date in ISO
 * 8601.
 *
 * @param is1904 whether the workbook counts days from 1904 instead of 1900
 */
export function formatNumber(value: number, format: CellFormat, is1904: boolean): string {
  if (format.type === 'digits' && Number.isSafeInteger(value) && value >= 0)
    return String(value).padStart(format.digits, '0');
  if (format.type === 'number' || format.type === 'digits' || value < 0 || value > LAST_DAY)
    return String(Number(value.toPrecision(15)));
  const seconds = Math.round(value * DAY_SECONDS);
  const [day, rest] = [Math.floor(seconds / DAY_SECONDS), seconds % DAY_SECONDS];
  switch (format.type) {
    case 'date':
      return dateOf(day, is1904);
    case 'date-time':
      return `${dateOf(day, is1904)}T${timeOf(rest)}`;
    case 'time':
      return timeOf(rest);
    case 'duration':
      return timeOf(seconds);
  }
}

/** Formats a day. Excel treats 1900 as a leap year, so its days before March of that year are off by one. */
function dateOf(day: number, is1904: boolean): string {
  const since = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < 60 ? 31 : 30);
  return new Date(since + day * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
}

function timeOf(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
