import { between, pick, seeded, type Chance } from './seeded.ts';

/** What a day of the month is, in real time, ms: longer than the shortest catch-up time that there is, 10 s. */
export const DAY_MS = 15_000;
/** Credits that one row costs, by the length of its text. */
export const ROW_CREDITS = 20;
/** Rows of a usual day, and how many are sent a second: some 4 s of a day. */
const USUAL_ROWS = 16;
export const RATE = 4;
/** Credits that one run may spend. A dear day wants more, and what it may spend lasts longer than a day. */
export const RUN_BUDGET = 80 * ROW_CREDITS;
const DEAR_ROWS = 100;
/** The share of the days after which the budget of the month ends. */
const BUDGET_SHARE = 2 / 3;

/**
 * What happens on a day. Kills take a process in mid-run; `kill-server` the Temporal server at the moment of firing; `power-cut` all of them. An
 * outage has all of them away when the day is due: `short` within the catch-up time, `long` beyond it.
 */
export const MONTH_EVENTS = [
  'kill-up',
  'kill-worker',
  'kill-server',
  'power-cut',
  'short-outage',
  'long-outage',
  'dear-manifest',
  'bad-manifest',
  'pause',
] as const;
export type MonthEvent = (typeof MONTH_EVENTS)[number];

/** A day of the plan. */
export interface MonthDay {
  /** From 1. */
  readonly day: number;
  readonly event: MonthEvent | 'none';
  /** When the event begins and when it is taken back, ms after the day is due; before, if negative. */
  readonly from: number;
  readonly until: number;
  /** Rows of its manifest. */
  readonly rows: number;
}

/** Twice what strikes at a moment of chance; the others once. After the budget has ended, only the dead are of interest. */
const DECK: readonly MonthEvent[] = [...MONTH_EVENTS, 'kill-up', 'kill-worker', 'kill-server', 'dear-manifest'];
const DECK_AFTERWARDS: readonly [MonthEvent, ...MonthEvent[]] = ['kill-up', 'kill-server', 'power-cut', 'pause'];

const AFTER_QUIET: readonly MonthDay['event'][] = ['long-outage', 'pause'];
/** After these the next day is lost: a run lasts into it, as what a dead worker had begun waits until its heartbeats are missed; or nobody is back. */
const LOSE_THE_NEXT: readonly MonthDay['event'][] = [
  'dear-manifest',
  'kill-up',
  'kill-worker',
  'power-cut',
  'long-outage',
];

/** Draws a month from a seed: each event at least once before its budget ends, if it has 30 days. */
export function planMonth(seed: number, days: number): readonly MonthDay[] {
  const chance = seeded(seed);
  const before = budgetEnd(days);
  // The first day is quiet, so are the two after a long outage, which it reaches into, and those before an event that a late run would hide.
  const quiet = Math.max(0, before - 3 - DECK.length - AFTER_QUIET.length);
  const deck = shuffled(chance, [...DECK, ...Array.from({ length: quiet }, () => 'none' as const)]);
  const planned: MonthDay[] = [];
  for (let day = 1; day <= days; day++) {
    const event = day > before ? eventAfterwards(chance) : nextOf(deck, planned);
    planned.push({ day, event, ...timesOf(chance, event), rows: event === 'dear-manifest' ? DEAR_ROWS : USUAL_ROWS });
  }
  return planned;
}

/** Takes the next event off the deck, if it may come after those of the days before. */
function nextOf(deck: MonthDay['event'][], planned: readonly MonthDay[]): MonthDay['event'] {
  const next = deck.at(-1) ?? 'none';
  const before = planned.at(-1)?.event;
  const mustRest = before === undefined || planned.slice(-2).some(({ event }) => event === 'long-outage');
  if (mustRest || (AFTER_QUIET.includes(next) && before !== 'none')) return 'none';
  deck.pop();
  return next;
}

function eventAfterwards(chance: Chance): MonthDay['event'] {
  return chance() < 0.5 ? 'none' : pick(chance, DECK_AFTERWARDS);
}

/** Credits for the month: it pays what the plan wants up to two thirds of the days, and half a day more. */
export function monthBudgetOf(plan: readonly MonthDay[]): number {
  const paid = plan.slice(0, budgetEnd(plan.length) - 1);
  return (
    paid.reduce((sum, one, index) => sum + wantedOn(one, plan[index - 1]?.event ?? 'none'), 0) +
    (USUAL_ROWS * ROW_CREDITS) / 2
  );
}

/** Credits that a day would spend by the plan, after a day with another event. */
function wantedOn({ event, rows }: MonthDay, before: MonthDay['event']): number {
  const isLost = ['long-outage', 'bad-manifest', 'pause'].includes(event) || LOSE_THE_NEXT.includes(before);
  return isLost ? 0 : Math.min(RUN_BUDGET, rows * ROW_CREDITS);
}

function budgetEnd(days: number): number {
  return Math.floor(days * BUDGET_SHARE);
}

function timesOf(chance: Chance, event: MonthDay['event']): Pick<MonthDay, 'from' | 'until'> {
  switch (event) {
    case 'kill-up':
    case 'kill-worker':
    case 'power-cut': {
      const from = between(chance, 1_000, 3_500);
      return { from, until: from + between(chance, 1_000, 4_000) };
    }
    case 'kill-server': {
      const from = between(chance, -150, 250);
      return { from, until: from };
    }
    case 'short-outage':
      return { from: -2_000, until: between(chance, 2_000, 4_000) };
    case 'long-outage':
      return { from: -2_000, until: DAY_MS + between(chance, 11_500, 13_500) };
    case 'pause':
      return { from: -12_000, until: 3_000 };
    default:
      return { from: 0, until: 0 };
  }
}

function shuffled<T>(chance: Chance, items: readonly T[]): T[] {
  const all = [...items];
  for (let last = all.length - 1; last > 0; last--) {
    const other = between(chance, 0, last);
    [all[last], all[other]] = [all[other] as T, all[last] as T];
  }
  return all;
}
