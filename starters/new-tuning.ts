import { isDeepStrictEqual } from 'node:util';
import type { Tunables, Tuning } from '../contract/batch.ts';

/** What of these flags does not hold yet; they may be given again and again. */
export function newIn(tuning: Tuning, settings: Tunables): Tuning {
  const { limits = {}, ...rest } = tuning;
  const differing = <T extends object>(wished: T, holds: object): Partial<T> => {
    const known = new Map(Object.entries(holds));
    return Object.fromEntries(
      Object.entries(wished).filter(([key, value]) => !isDeepStrictEqual(value, known.get(key))),
    ) as Partial<T>;
  };
  return { ...differing(rest, settings), limits: differing(limits, settings.limits) };
}
