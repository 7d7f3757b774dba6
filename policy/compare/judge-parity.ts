import type { Step } from '../../contract/row-kinds.ts';
import type { Tolerances } from '../../contract/tolerances.ts';
import type { BatchParity, Spread } from './batch-parity.ts';
import type { Pair } from './row-parity.ts';

/** A figure of two batches against its tolerance; both are shares. */
export interface Judgement {
  readonly of:
    | { readonly type: 'rows' | 'credits' }
    | { readonly type: 'latency'; readonly step: Step; readonly until: 'accepted' | 'finished' };
  readonly share: number;
  readonly tolerance: number;
  readonly isWithin: boolean;
}

/** `unfinished`: nothing differs so far, but rows have not ended. */
export type ParityVerdict = 'parity' | 'differs' | 'unfinished';

/** Judges each figure that has a tolerance, and gives the overall verdict. */
export function judgeParity(
  parity: BatchParity,
  tolerances: Tolerances,
): { readonly verdict: ParityVerdict; readonly judgements: readonly Judgement[] } {
  const { rows, credits, latency } = parity;
  const judgements = [
    judge({ type: 'rows' }, rows.compared === 0 ? 0 : rows.differing / rows.compared, tolerances.rows),
    judge({ type: 'credits' }, apart(credits.sums), tolerances.credits),
    ...latency.flatMap(({ step, accepted, finished }) => [
      judge({ type: 'latency', step, until: 'accepted' }, slower(accepted), tolerances.latency),
      judge({ type: 'latency', step, until: 'finished' }, slower(finished), tolerances.latency),
    ]),
  ].filter((one) => one !== undefined);
  const differs = judgements.some(({ isWithin }) => !isWithin);
  return { verdict: differs ? 'differs' : rows.open > 0 ? 'unfinished' : 'parity', judgements };
}

function judge(of: Judgement['of'], share: number | undefined, tolerance: number): Judgement | undefined {
  if (share === undefined || tolerance === Infinity) return undefined;
  return { of, share, tolerance, isWithin: share <= tolerance };
}

function apart([one, other]: Pair<number>): number {
  const larger = Math.max(one, other);
  return larger === 0 ? 0 : Math.abs(one - other) / larger;
}

/** Relative increase from the first median to the second; 0 if there is none. Undefined if one is missing. */
function slower([one, other]: Pair<Spread | null>): number | undefined {
  if (one === null || other === null) return undefined;
  return one.median === 0 ? 0 : Math.max(0, other.median / one.median - 1);
}
