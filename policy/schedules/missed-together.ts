import type { SkipCause } from '../../contract/schedule.ts';

interface Skipped {
  readonly at: number;
  readonly cause: SkipCause;
  readonly reason: string;
}

/**
 * Due times that were missed together, as an outage leaves them: the reason of the newest says how many there were,
 * because receivers hear of that one only. The others stay as they are.
 */
export function countMissed<S extends Skipped>(skipped: readonly S[]): readonly S[] {
  const missed = skipped.filter(({ cause }) => cause === 'missed');
  if (missed.length < 2) return skipped;
  const newest = Math.max(...missed.map(({ at }) => at));
  const words = missed.length === 2 ? 'An earlier due time was' : `${String(missed.length - 1)} earlier due times were`;
  return skipped.map((one) =>
    one.cause === 'missed' && one.at === newest ? { ...one, reason: `${one.reason} ${words} missed with it.` } : one,
  );
}
