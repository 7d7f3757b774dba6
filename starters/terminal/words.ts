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
