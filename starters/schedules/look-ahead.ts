import { priceScheduled, type ScheduledPrice } from '../../batches/schedules/price-scheduled.ts';
import { fetchManifest } from '../../client/run/fetch-manifest.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { unchangedError } from '../exit-error.ts';
import type { Output } from '../terminal/output.ts';
import { priceWords, refusalWarning } from './schedule-words.ts';

/** Whether a manifest must be able to run when its schedule is made. */
export interface CheckedFlags {
  /** Refuse one that could not. Default: warn. */
  readonly check?: boolean;
}

/**
 * Looks at what one firing would be now: it may be another by the time the schedule fires. Throws {@link ExitError} `usage` for a manifest that could
 * not run, if that is asked for.
 */
export async function lookAhead(
  run: ScheduledRun,
  { check }: CheckedFlags,
  { budgetMonth }: Pick<ScheduleSpec, 'budgetMonth'>,
): Promise<ScheduledPrice> {
  const month = budgetMonth === null ? null : { credits: budgetMonth };
  const price = await priceScheduled(run, fetchManifest, undefined, month);
  if (check !== true || price.type === 'sound') return price;
  throw unchangedError(
    [`${price.reason.replace(/(?: Nothing was spent)?[.]$/, '').replace(/[.]$/, '')}.`, ...price.more].join('\n'),
  );
}

/** Prints what one firing would cost now, or what is wrong with the manifest, and what it may spend without anybody being asked. */
export function tellAhead(price: ScheduledPrice, run: ScheduledRun, spec: ScheduleSpec, output: Output): void {
  output.say(`${priceWords(price)} The manifest is read again each time the schedule fires.`);
  if (price.type === 'unsound') for (const line of price.more) output.say(`  ${line}`);
  for (const warning of [refusalWarning(price), budgetWarning(run, spec)]) {
    if (warning !== undefined) output.say(warning);
  }
}

function budgetWarning({ tunables }: ScheduledRun, { budgetMonth, overlap }: ScheduleSpec): string | undefined {
  if ((tunables.budget ?? null) !== null) return undefined;
  if (budgetMonth === null) {
    return 'Warning: it has no budget: each run pays for whatever its manifest asks then. Set --budget (each run) or --budget-month.';
  }
  return overlap === 'allow'
    ? 'Warning: without --budget a run may spend all that is left of the month, so nothing is left for those beside it.'
    : undefined;
}
