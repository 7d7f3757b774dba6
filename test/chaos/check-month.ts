import { monthOf } from '../../policy/schedules/month-budget.ts';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { chargedStepOf } from './charged-step.ts';
import type { Finding } from './finding.ts';

/** What became of a time at which the schedule was due, as `schedule check --json` says it. */
export interface CheckedTime {
  /** ISO 8601 */
  readonly at: string;
  readonly batch: string;
  readonly state: string;
  readonly cause: string | null;
  readonly reason: string | null;
  readonly exit_code: number | null;
}

/** What a month was to keep to. */
export interface MonthTerms {
  /** Times at which the schedule was due, ms since 1970. */
  readonly due: readonly number[];
  /** Credits of one run, and of a calendar month. */
  readonly runBudget: number;
  readonly monthBudget: number;
}

/** What no month of 30 days should be without; otherwise it proves less than it seems to. */
const FATES: readonly string[] = ['ended', 'overlap', 'missed', 'paused', 'month-budget', 'failed'];

/** Credits that may be lost in the rounding of a sum. */
const NOISE = 1e-3;

/** Judges a month: each due time by what is on record, the money by the simulator's ledger alone. `batches`: those that have files. */
export function checkMonth(
  times: readonly CheckedTime[],
  charges: readonly LedgerEntry[],
  batches: readonly string[],
  terms: MonthTerms,
): Finding[] {
  return [
    eachOnce(times, terms.due),
    explained(times),
    matched(times, batches, charges),
    withinBudgets(charges, terms),
    varied(times, terms.due.length),
  ];
}

/** Credits that the API charged, by batch. */
export function spendByBatch(charges: readonly LedgerEntry[]): ReadonlyMap<string, number> {
  const spent = new Map<string, number>();
  for (const charge of charges) {
    const batch = chargedStepOf(charge)?.batch ?? '(none)';
    spent.set(batch, (spent.get(batch) ?? 0) + charge.credits);
  }
  return spent;
}

function eachOnce(times: readonly CheckedTime[], due: readonly number[]): Finding {
  const counts = new Map<number, number>();
  for (const { at } of times) counts.set(Date.parse(at), (counts.get(Date.parse(at)) ?? 0) + 1);
  const broken = due
    .filter((at) => counts.get(at) !== 1)
    .map((at) => `${isoOf(at)} is there ${String(counts.get(at) ?? 0)} times`);
  const others = [...counts.keys()].filter((at) => !due.includes(at)).map((at) => `${isoOf(at)} was not due`);
  return {
    promise: 'every due time is on record once, and no other',
    broken: [...broken, ...others],
    seen: `${due.length} due times`,
  };
}

function explained(times: readonly CheckedTime[]): Finding {
  const broken = times.flatMap(({ at, state, reason }) => {
    if (state === 'ended') return [];
    if (state !== 'failed' && state !== 'skipped') return [`${at} is still ${state}: ${reason ?? ''}`];
    return reason === null || reason === '' ? [`${at} is ${state} without a reason`] : [];
  });
  return { promise: 'what did not run says why', broken };
}

/** One batch for each that ran, and none for the others: no files, no charge. */
function matched(times: readonly CheckedTime[], batches: readonly string[], charges: readonly LedgerEntry[]): Finding {
  const ran = new Set(times.filter(({ exit_code }) => exit_code !== null).map(({ batch }) => batch));
  const spent = spendByBatch(charges);
  return {
    promise: 'every due time that ran made one batch, the others none and cost nothing',
    broken: [
      ...[...ran].filter((batch) => !batches.includes(batch)).map((batch) => `${batch} has no files`),
      ...batches.filter((batch) => !ran.has(batch)).map((batch) => `${batch} has files, and is not said to have run`),
      ...[...spent.keys()].filter((batch) => !ran.has(batch)).map((batch) => `${batch} was charged, and did not run`),
    ],
    seen: `${ran.size} batches`,
  };
}

function withinBudgets(charges: readonly LedgerEntry[], { due, runBudget, monthBudget }: MonthTerms): Finding {
  const spent = spendByBatch(charges);
  const months = new Map<string, number>();
  for (const at of due) {
    const month = monthOf(at, 'UTC');
    const stamp = isoOf(at).replaceAll(':', '-');
    const [, credits = 0] = [...spent].find(([batch]) => batch.endsWith(`.${stamp}`)) ?? [];
    months.set(month, (months.get(month) ?? 0) + credits);
  }
  const most = Math.max(0, ...spent.values());
  const sums = [...months].map(([month, credits]) => `${month}: ${credits}`).join(', ');
  return {
    promise: `no run is charged more than ${runBudget} credits, and no month more than ${monthBudget}`,
    broken: [
      ...[...spent]
        .filter(([, credits]) => credits > runBudget + NOISE)
        .map(([batch, credits]) => `${batch}: ${credits}`),
      ...[...months].filter(([, credits]) => credits > monthBudget + NOISE).map(([month, sum]) => `${month}: ${sum}`),
    ],
    seen: `dearest run ${most}; ${sums}`,
  };
}

function varied(times: readonly CheckedTime[], days: number): Finding {
  const fates = new Set(times.map(fateOf));
  const missing = days < 30 ? [] : FATES.filter((fate) => !fates.has(fate));
  return { promise: 'a month has seen every fate', broken: missing.map((fate) => `none is ${fate}`) };
}

/** Why it was skipped, else how it stands. */
export function fateOf({ state, cause }: CheckedTime): string {
  return cause ?? state;
}

function isoOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
