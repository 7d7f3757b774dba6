const RULES = new Intl.PluralRules('en-US');

/** An amount for people, such as credits: `1,200.5`, with at most one decimal. */
export function number(value: number): string {
  return shown(value).toLocaleString('en-US');
}

/** `1 row`, `2,000 rows`. `other`: the word for more than one, where that is not `one` with an s. */
export function plural(count: number, one: string, other = `${one}s`): string {
  return `${number(count)} ${form(count, one, other)}`;
}

/** The words for one thing, or for another number of them: `form(count, 'it is', 'they are')`. */
export function form(count: number, one: string, other: string): string {
  return RULES.select(shown(count)) === 'one' ? one : other;
}

/** `a`, `a and b`, `a, b and c`. */
export function list(items: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(items);
}

function shown(value: number): number {
  return Math.round(value * 10) / 10;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** Bytes for people, everywhere in powers of 1,000: `640 KB`, `1.2 GB`. */
export function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1_000 ** step)} ${UNITS[step] ?? ''}`;
}

/** `1:05`, `2:00:09`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}

/** A moment in UTC: `2026-10-25T02:30:00.000Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Words of the API or of the system as a sentence: with a full stop, unless they end in one. */
export function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
