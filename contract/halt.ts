/**
 * When a batch stops itself: `never`, or once too many of its rows have failed. Written as `never`, `soon,fail=20`,
 * `soon,fail=5%`, `now,fail=1`. `soon` still fetches the results of running jobs; `now` does not. The default, `alike`,
 * pauses instead: if the first 20 paid rows all fail with the same class of failure.
 */
export type HaltPolicy =
  | { readonly when: 'never' }
  | { readonly when: 'alike' }
  | { readonly when: 'soon' | 'now'; readonly fail: number; readonly unit: 'rows' | 'percent' };

/** However many rows fail, the batch goes on. */
export const NEVER_HALT: HaltPolicy = { when: 'never' };
/** The default policy of a new batch. */
export const ALIKE_HALT: HaltPolicy = { when: 'alike' };

/** The values of `--halt`, except the default, for messages. */
export const HALT_FORMS = 'never, soon,fail=20, soon,fail=5% or now,fail=1';

/** Parses a halt policy; undefined if the text is not one. */
export function parseHalt(text: string): HaltPolicy | undefined {
  if (text === 'never') return NEVER_HALT;
  if (text === 'alike') return ALIKE_HALT;
  const match = /^(soon|now),fail=(\d+(?:\.\d+)?)(%?)$/.exec(text);
  if (match === null) return undefined;
  const when = match[1] === 'now' ? 'now' : 'soon';
  const fail = Number(match[2]);
  if (match[3] === '%') return fail > 0 && fail <= 100 ? { when, fail, unit: 'percent' } : undefined;
  return Number.isInteger(fail) && fail > 0 ? { when, fail, unit: 'rows' } : undefined;
}

/** Formats a halt policy as users write it. */
export function formatHalt(policy: HaltPolicy): string {
  if (policy.when === 'never' || policy.when === 'alike') return policy.when;
  return `${policy.when},fail=${policy.fail}${policy.unit === 'percent' ? '%' : ''}`;
}
