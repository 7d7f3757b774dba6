import type { SpendRefusal } from '../../contract/spend.ts';
import type { ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import type { SpendDecision } from '../../policy/money/spend.ts';
import type { VoxbatchError } from '../problem.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import { reusesResults } from '../../contract/cache-modes.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';

/** Whether `run` would start. `ask`: after a person has confirmed the bill. */
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

/**
 * The one place that says whether `run` would start, by what it meets first. A disk that cannot be read is met by
 * whoever needs it.
 */
export function runStart({
  placeProblem,
  planned,
  decision,
}: {
  /** Why it would refuse the store, or the out folder. */
  readonly placeProblem: VoxbatchError | undefined;
  readonly planned: ManifestPlan;
  readonly decision: SpendDecision;
}): RunStart {
  if (placeProblem !== undefined && placeProblem.problem.type !== 'machine')
    return { type: 'refuse', why: 'place', problem: placeProblem };
  if (planned.type === 'taken') return { type: 'refuse', why: 'taken', name: planned.name };
  if (decision.type === 'refuse') return { type: 'refuse', why: 'spend', spend: decision.why };
  return { type: decision.type };
}

/**
 * Rows that may be charged a second time: another batch sent the same and lost the answer. Empty if earlier results are
 * not used anyway, or nothing is paid for.
 */
export function secondCharges({ again }: RowReasons, cache: BatchSettings['cache']): RowReasons['again']['groups'] {
  if (!reusesResults(cache) || cache === 'only') return [];
  return again.groups.filter(({ reason }) => reason.type === 'again' && reason.ended === 'unknown');
}
