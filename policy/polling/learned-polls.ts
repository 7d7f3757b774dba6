import { jobsIn, quantilesOf, type JobTimes } from './job-times.ts';
import { scheduledAges, type PollPlan } from './poll-schedule.ts';

/**
 * The ages at which to poll a job, learned from how long similar jobs took.
 *
 * Polls cost requests, and too few of them cost time: a job that has ended waits for its next poll. Given a price per
 * poll, in time, the best ages are the cheapest way through the times at which jobs end (dynamic programming, exact on
 * a grid). The price is chosen so that jobs wait no longer than under the user's fixed gap, with as few polls as
 * possible. If that takes very few, the plan makes up to half of the fixed gap's polls, and jobs wait less.
 *
 * If job times have no peak, the fixed gap is the best plan. It also stays if the gain would be small, because that
 * could be chance.
 */

/** Jobs needed before they decide. */
const FEWEST_JOBS = 30;
/**
 * The plan must need at most this share of the fixed gap's polls; less with few jobs, which can show a gain by chance.
 */
const WORTH_IT = 0.75;
const CHANCE = 2;
/** How much shorter the plan's waits must seem, because real jobs wait longer than those it was made from. */
const RESERVE = 1.5;
const LEAST_RESERVE = 0.06;
/** Minimum share of the fixed gap's polls. */
const LEAST_POLLS = 0.3;
/** Minimum polls per job, if that is fewer than the fixed gap's. */
const LEAST_A_JOB = 1.3;
/** Minimum distance of a poll from the previous one, or from the acceptance, as a share of the gap. */
const CLOSEST = 0.25;
/** Max grid steps between two quantiles; enough to make them a third of the gap. */
const MOST_STEPS = 6;
const MOST_QUANTILES = 90;
/** The last jobs spread widely. */
const TAIL = [0.993, 0.996, 0.998];
const TRIALS = 12;

/** Average polls per job, and average wait from its end to the poll that sees it. */
interface PollCost {
  readonly polls: number;
  readonly lagMs: number;
}

/** A possible poll time, and what is known about jobs there. */
interface Point {
  readonly at: number;
  /** Share of the jobs ended by then. */
  readonly ended: number;
  /** Mean duration of those jobs, times their share. */
  readonly moment: number;
}

/**
 * Ages at which to poll, ms, ascending; after the last one the fixed schedule continues. Null if the fixed schedule is
 * best.
 */
export function planPolls(times: JobTimes, plan: PollPlan): readonly number[] | null {
  const known = jobsIn(times);
  if (known < FEWEST_JOBS || plan.pollGapMs <= 0) return null;
  const grid = gridOf(times, known, plan.pollGapMs);
  const fixed = costOfSchedule(plan, grid);
  const mostLag = fixed.lagMs * (1 - Math.max(LEAST_RESERVE, Math.min(0.15, RESERVE / Math.sqrt(known))));
  const mostPolls = fixed.polls * (WORTH_IT - CHANCE / Math.sqrt(known));
  const closest = plan.pollGapMs * CLOSEST;
  const least = Math.max(LEAST_POLLS * fixed.polls, Math.min(LEAST_A_JOB, 0.6 * fixed.polls));
  // Bisects for the price of a poll, ms, between nothing and the longest wait.
  let [low, high] = [plan.pollGapMs * 1e-4, plan.pollGapMs * 1e3];
  let best: { readonly polls: readonly number[]; readonly cost: PollCost } | null = null;
  for (let trial = 0; trial < TRIALS; trial++) {
    const price = Math.sqrt(low * high);
    const polls = cheapest(grid, price, closest);
    const cost = costOf(polls, grid);
    const isEnough = cost.lagMs <= mostLag;
    if (isEnough && (best === null || cost.polls < best.cost.polls) && cost.polls >= least) {
      best = { polls, cost };
    }
    if (isEnough && cost.polls > least) low = price;
    else high = price;
    if (isEnough && best === null) best = { polls, cost };
  }
  return best === null || best.cost.polls > mostPolls ? null : best.polls;
}

/**
 * Candidate times: the quantiles, which are close together where many jobs end. Few jobs give few quantiles, which
 * smooths.
 */
function gridOf(times: JobTimes, known: number, pollGapMs: number): readonly Point[] {
  const count = Math.max(6, Math.min(MOST_QUANTILES, Math.round(known ** (2 / 3))));
  const even = Array.from({ length: count + 1 }, (_, index) => index / count);
  const parts = known < 1_000 ? even : [...even.slice(0, -1), ...TAIL, 1];
  const quantiles = quantilesOf(times, parts);
  const points: Point[] = [{ at: 0, ended: 0, moment: 0 }];
  let [begin, below, moment] = [quantiles[0] ?? 0, 0, 0];
  if (begin > 0) points.push({ at: begin, ended: 0, moment: 0 });
  for (const [index, part] of parts.entries()) {
    const end = quantiles[index] ?? begin;
    const steps = Math.max(2, Math.min(MOST_STEPS, Math.ceil((3 * (end - begin)) / pollGapMs)));
    for (let step = 1; step <= steps && part > below; step++) {
      const [from, at] = [begin + ((end - begin) * (step - 1)) / steps, begin + ((end - begin) * step) / steps];
      moment += (((from + at) / 2) * (part - below)) / steps;
      points.push({ at, ended: below + ((part - below) * step) / steps, moment });
    }
    [begin, below] = [end, part];
  }
  return points;
}

/** The polls with the least total cost: their price plus the wait after the end. */
function cheapest(grid: readonly Point[], price: number, closest: number): readonly number[] {
  const last = grid.length - 1;
  const costs = new Array<number>(grid.length).fill(Infinity);
  const nexts = new Array<number>(grid.length).fill(last);
  costs[last] = 0;
  for (let from = last - 1; from >= 0; from--) {
    const here = grid[from] as Point;
    for (let to = from + 1; to <= last; to++) {
      const there = grid[to] as Point;
      if (there.at - here.at < closest && to < last) continue;
      const own = price * (1 - here.ended) + lagBetween(here, there);
      // The wait only grows with later polls.
      if (own > (costs[from] ?? 0)) break;
      const cost = own + (costs[to] ?? 0);
      if (cost < (costs[from] ?? 0)) {
        costs[from] = cost;
        nexts[from] = to;
      }
    }
  }
  const polls: number[] = [];
  for (let at = nexts[0] ?? last; ; at = nexts[at] ?? last) {
    polls.push(grid[at]?.at ?? 0);
    if (at >= last) return polls;
  }
}

/** Total wait, for the second of two polls, of jobs that end between them. */
function lagBetween(here: Point, there: Point): number {
  return there.at * (there.ended - here.ended) - (there.moment - here.moment);
}

/** The cost of polls at these ages, for the job times of the grid. */
function costOf(polls: readonly number[], grid: readonly Point[]): PollCost {
  let here: Point = { at: 0, ended: 0, moment: 0 };
  let [asked, lagMs, next] = [0, 0, 0];
  for (const at of polls) {
    while (next < grid.length - 1 && (grid[next]?.at ?? 0) < at) next += 1;
    const there = pointAt(grid, next, at);
    asked += 1 - here.ended;
    lagMs += lagBetween(here, there);
    here = there;
  }
  return { polls: asked, lagMs };
}

/** Interpolates between grid points: jobs end evenly in between. */
function pointAt(grid: readonly Point[], next: number, at: number): Point {
  const [before, after] = [grid[next - 1], grid[next] as Point];
  if (before === undefined || after.at <= at || after.at === before.at) return { ...after, at };
  const part = (at - before.at) / (after.at - before.at);
  const ended = (after.ended - before.ended) * part;
  return { at, ended: before.ended + ended, moment: before.moment + (ended * (before.at + at)) / 2 };
}

/** The cost of the fixed schedule. */
function costOfSchedule(plan: PollPlan, grid: readonly Point[]): PollCost {
  const last = grid.at(-1) as Point;
  const ages = scheduledAges(plan, last.at);
  // The gap is tiny compared with job times, so jobs end evenly within it.
  if ((ages.at(-1) ?? 0) < last.at) return { polls: 1 + last.moment / plan.pollGapMs, lagMs: plan.pollGapMs / 2 };
  return costOf(ages, grid);
}
