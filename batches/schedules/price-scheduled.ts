import { openManifestFile } from '../../inputs/manifest-source.ts';
import type { FetchManifest } from '../../inputs/manifest-place.ts';
import { describeProblem, ManifestError } from '../../contract/manifest-problems.ts';
import { checkManifest } from '../../inputs/read-manifest.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { MonthBudget } from '../../policy/schedules/month-budget.ts';
import { refusalAhead } from '../../policy/schedules/refused-firing.ts';
import { planNew, type NewPlanRequest } from '../plan/plan-new.ts';
import { choicesOf } from './scheduled-run.ts';

/** What a schedule would run if it fired now: rows and their price in credits, or what is wrong with its manifest. */
export type ScheduledPrice =
  | {
      readonly type: 'sound';
      readonly rows: number;
      /** Those of them whose results are there already. */
      readonly free: number;
      readonly quoted: number;
      /** Rows without a known price. */
      readonly unpriced: number;
      readonly budget: number | null;
      /** Why its rows could not be paid for: the start of a sentence; null: nothing is in the way. */
      readonly refusal: string | null;
    }
  | {
      readonly type: 'unsound';
      readonly reason: string;
      /** Further problems of the manifest, the next four at most. */
      readonly more: readonly string[];
    };

/** Problems of a manifest that are told. */
const MOST_SHOWN = 5;

/** What its rows are compared with. Omitted: nothing, so all of them are priced in full. */
export type ScheduledLookUps = Pick<NewPlanRequest, 'ledger' | 'account' | 'identify'>;

/**
 * Reads and prices a schedule's current manifest, and says if its budgets or its limit for a confirmation would refuse
 * it. Probes nothing, spends nothing.
 */
export async function priceScheduled(
  run: ScheduledRun,
  fetchManifest: FetchManifest,
  looked?: ScheduledLookUps,
  month: Pick<MonthBudget, 'credits'> | null = null,
): Promise<ScheduledPrice> {
  const { manifest: options, settings } = choicesOf(run);
  try {
    const source = await openManifestFile(run.manifest, fetchManifest, run);
    try {
      const learnt = await looked?.ledger?.textLimits(looked.account?.apiUrl ?? '', looked.account?.account);
      const limited = { ...options, textLimits: { ...learnt, ...options.textLimits } };
      const checked = await checkManifest(source, limited, settings.budget);
      if (checked.type === 'outcome-file')
        return unsound(`${source.label} is an outcome file of batch "${checked.batch}"`);
      const { problems, problemCount, chosen } = checked.summary;
      const [first] = problems;
      if (first !== undefined) {
        const found = problemCount === 1 ? 'a problem' : `${problemCount} problems`;
        const more = problems.slice(1, MOST_SHOWN).map(describeProblem);
        return { type: 'unsound', reason: `${source.label} has ${found}; the first: ${describeProblem(first)}`, more };
      }
      const { budget } = settings;
      const { summary } =
        looked === undefined || checked.type !== 'sound'
          ? checked
          : await planNew({ source, checked, settings, ...looked });
      const { free, quoted, unpriced } = summary;
      const facts = { bill: summary, budget, confirmAbove: run.confirmAbove };
      return {
        type: 'sound',
        rows: chosen,
        free,
        quoted,
        unpriced,
        budget,
        // Rows that cost nothing run in any case.
        refusal: (free > 0 ? undefined : refusalAhead(facts, month)) ?? null,
      };
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof ManifestError) return unsound(error.message);
    throw error;
  }
}

function unsound(reason: string): ScheduledPrice {
  return { type: 'unsound', reason, more: [] };
}
