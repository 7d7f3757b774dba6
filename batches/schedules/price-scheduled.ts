import { openManifestFile, type ManifestSource } from '../../inputs/manifest-source.ts';
import type { FetchManifest } from '../../inputs/manifest-place.ts';
import { describeProblem, ManifestError } from '../../contract/manifest-problems.ts';
import { checkManifest } from '../../inputs/read-manifest.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { MonthBudget } from '../../policy/schedules/month-budget.ts';
import { predictRefusal } from '../../policy/schedules/refused-firing.ts';
import { planNew, type NewPlanRequest } from '../plan/plan-new.ts';
import { choicesOf } from './scheduled-choices.ts';

/** What a schedule would run if it fired now: rows and their price in credits, or what is wrong with its manifest. */
export type ScheduledPrice =
  | {
      readonly type: 'sound';
      readonly rows: number;
      /** Of these, rows whose results exist already. */
      readonly free: number;
      /** Credits. */
      readonly quoted: number;
      /** Rows without a known price. */
      readonly unpriced: number;
      readonly budget: number | null;
      /** Why a firing would be refused, as the start of a sentence; null if it would not. */
      readonly refusal: string | null;
    }
  | {
      readonly type: 'unsound';
      readonly reason: string;
      /** Up to four further problems of the manifest. */
      readonly more: readonly string[];
    };

/** Max problems of a manifest returned, with the one in `reason`. */
const MAX_SHOWN = 5;

/** What to compare rows with, to find results that exist already. */
export type ScheduledLookUps = Pick<NewPlanRequest, 'ledger' | 'account' | 'identify'>;

/**
 * Reads and prices a schedule's current manifest, and returns whether its budgets or its `confirmAbove` limit would
 * refuse it. `lookUps`: default: nothing is compared, so all rows are priced in full. Probes nothing, spends nothing.
 */
export async function priceScheduled(
  run: ScheduledRun,
  fetchManifest: FetchManifest,
  lookUps?: ScheduledLookUps,
  month: Pick<MonthBudget, 'credits'> | null = null,
): Promise<ScheduledPrice> {
  try {
    const source = await openManifestFile(run.manifest, fetchManifest, run);
    try {
      return await priceSource(source, run, lookUps, month);
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof ManifestError) return unsound(error.message);
    throw error;
  }
}

async function priceSource(
  source: ManifestSource,
  run: ScheduledRun,
  lookUps: ScheduledLookUps | undefined,
  month: Pick<MonthBudget, 'credits'> | null,
): Promise<ScheduledPrice> {
  const { manifest: options, settings } = choicesOf(run);
  const limits = await lookUps?.ledger?.textLimits(lookUps.account?.apiUrl ?? '', lookUps.account?.account);
  const limited = { ...options, textLimits: { ...limits, ...options.textLimits } };
  const checked = await checkManifest(source, limited, settings.budget);
  if (checked.type === 'outcome-file') return unsound(`${source.label} is an outcome file of batch "${checked.batch}"`);
  const { problems, problemCount, chosen } = checked.summary;
  const [first] = problems;
  if (first !== undefined) {
    const found = problemCount === 1 ? 'a problem' : `${problemCount} problems`;
    const more = problems.slice(1, MAX_SHOWN).map(describeProblem);
    return { type: 'unsound', reason: `${source.label} has ${found}; the first: ${describeProblem(first)}`, more };
  }
  const { budget } = settings;
  const { summary } =
    lookUps === undefined || checked.type !== 'sound'
      ? checked
      : await planNew({ source, checked, settings, ...lookUps });
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
    refusal: (free > 0 ? undefined : predictRefusal(facts, month)) ?? null,
  };
}

function unsound(reason: string): ScheduledPrice {
  return { type: 'unsound', reason, more: [] };
}
