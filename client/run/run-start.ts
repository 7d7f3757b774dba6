import type { SpendRefusal } from '../../contract/spend.ts';
import type { ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import type { SpendDecision } from '../../policy/money/spend.ts';
import type { VoxbatchError } from '../problem.ts';

/** Whether `run` would start. `ask`: only after a person has confirmed the bill. */
export type RunStart =
  | { readonly type: 'go' | 'ask' }
  /** It refuses the store or the out folder. */
  | { readonly type: 'refuse'; readonly why: 'place'; readonly problem: VoxbatchError }
  /** Another batch has the name. */
  | {
      readonly type: 'refuse';
      readonly why: 'taken';
      readonly name: Extract<ManifestPlan, { readonly type: 'taken' }>['name'];
    }
  /** The bill may not be paid. */
  | { readonly type: 'refuse'; readonly why: 'spend'; readonly spend: SpendRefusal };

/** What {@link decideRunStart} decides by. */
export interface StartFacts {
  /** Why `run` would refuse the store or the out folder. */
  readonly placeProblem: VoxbatchError | undefined;
  readonly planned: ManifestPlan;
  readonly decision: SpendDecision;
}

/**
 * Decides whether `run` would start, for `plan`. The checks are in the order in which `run` makes them, so the first
 * reason is the one that `run` would report. A disk that cannot be read is not a reason here: `plan` itself fails where
 * it needs that disk.
 */
export function decideRunStart({ placeProblem, planned, decision }: StartFacts): RunStart {
  if (placeProblem !== undefined && placeProblem.problem.type !== 'machine')
    return { type: 'refuse', why: 'place', problem: placeProblem };
  if (planned.type === 'taken') return { type: 'refuse', why: 'taken', name: planned.name };
  if (decision.type === 'refuse') return { type: 'refuse', why: 'spend', spend: decision.why };
  return { type: decision.type };
}
