import { formatHalt, HALT_FORMS, parseHalt, type HaltPolicy } from './halt.ts';

/**
 * The kinds of values that a setting accepts. The functions below parse, format and describe them, for flags, config
 * file, help and docs.
 *
 * - `count`: a whole number from `least` to `most`.
 * - `rate`: a number above 0 per second, or null for no limit of ours.
 * - `credits`: a number of credits above 0, or null for no limit.
 * - `duration`: whole milliseconds, at least `least`, or any number of minutes above 0.
 * - `choice`: one of `words`.
 * - `halt`: a {@link HaltPolicy}.
 * - `command`: a shell command, or null for none.
 * - `url`: an http or https URL without a password in it, or null for none.
 *
 * A setting of another kind needs a case in each `switch` on `type`; the compiler names them.
 */
export type ValueKind =
  | { readonly type: 'count'; readonly least: number; readonly most: number }
  | { readonly type: 'rate' }
  | { readonly type: 'credits' }
  | { readonly type: 'duration'; readonly unit: 'ms'; readonly least: number }
  | { readonly type: 'duration'; readonly unit: 'minutes' }
  | { readonly type: 'choice'; readonly words: readonly string[] }
  | { readonly type: 'halt' }
  | { readonly type: 'command' }
  | { readonly type: 'url' };

/** The type of the values that a {@link ValueKind} accepts. */
export type ValueOf<K extends ValueKind> = K extends { readonly type: 'count' | 'duration' }
  ? number
  : K extends { readonly type: 'rate' | 'credits' }
    ? number | null
    : K extends { readonly type: 'choice'; readonly words: readonly (infer Word)[] }
      ? Word
      : K extends { readonly type: 'command' | 'url' }
        ? string | null
        : HaltPolicy;

/** A value of any kind. */
export type AnyValue = number | string | HaltPolicy | null;

/** How null is written on a command line. */
const NO_LIMIT = 'none';

/** Parses a value from a command line; undefined if it is not of this kind. */
export function parseValue(takes: ValueKind, text: string): AnyValue | undefined {
  switch (takes.type) {
    case 'count': {
      const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return count >= takes.least && count <= takes.most ? count : undefined;
    }
    case 'rate':
    case 'credits':
      return text === NO_LIMIT ? null : parsePositive(text);
    case 'duration':
      if (takes.unit === 'minutes') return parsePositive(text);
      return parseValue({ type: 'count', least: takes.least, most: Number.MAX_SAFE_INTEGER }, text);
    case 'choice':
      return takes.words.find((word) => word === text);
    case 'halt':
      return parseHalt(text);
    case 'command':
      if (text === NO_LIMIT) return null;
      return text.trim() === '' ? undefined : text;
    case 'url':
      if (text === NO_LIMIT) return null;
      return isPlainUrl(text) ? text : undefined;
  }
}

/** Formats a value for a command line; {@link parseValue} reads it back. */
export function formatValue(value: AnyValue): string {
  if (value === null) return NO_LIMIT;
  return typeof value === 'object' ? formatHalt(value) : String(value);
}

/** Describes what {@link parseValue} accepts, for a message that begins with "expected". */
export function expectedOf(takes: ValueKind): string {
  switch (takes.type) {
    case 'count':
      return `a whole number from ${takes.least} to ${takes.most}`;
    case 'rate':
    case 'credits':
      return `a number above 0, or ${NO_LIMIT}`;
    case 'duration':
      return takes.unit === 'ms' ? `whole milliseconds, ${takes.least} or more` : 'minutes above 0';
    case 'choice':
      return `one of ${takes.words.join(', ')}`;
    case 'halt':
      return HALT_FORMS;
    case 'command':
      return `a shell command, or ${NO_LIMIT}`;
    case 'url':
      return `an http or https URL without a password, or ${NO_LIMIT}`;
  }
}

/** Describes the range of a value, for help and docs: `1 to 256`, `none: as fast as the API allows`. */
export function rangeOf(takes: ValueKind): string {
  switch (takes.type) {
    case 'count':
      return `${takes.least} to ${takes.most}`;
    case 'rate':
      return `${NO_LIMIT}: as fast as the API allows`;
    case 'credits':
      return `${NO_LIMIT}: no limit`;
    case 'duration':
      return takes.unit === 'ms' ? `milliseconds, ${takes.least} or more` : 'minutes';
    case 'choice':
      return takes.words.join(', ');
    case 'halt':
      return HALT_FORMS;
    case 'command':
    case 'url':
      return `${NO_LIMIT}: nothing`;
  }
}

/** Whether the text is an http or https URL without user name and password, which would be sent and shown. */
export function isPlainUrl(text: string): boolean {
  const found = /^https?:\/\/(?:[\p{L}\p{N}._-]+|\[[\da-f:.]+\])(?::(?<port>\d+))?(?:[/?#]\S*)?$/iu.exec(text);
  return found !== null && Number(found.groups?.['port'] ?? 0) <= 65_535;
}

/** Parses a finite number above 0; undefined for any other text. */
export function parsePositive(text: string): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return value > 0 && Number.isFinite(value) ? value : undefined;
}

/** Parses an unsigned decimal number without an exponent; NaN if the text is not one. */
export function parseUnsignedNumber(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}
