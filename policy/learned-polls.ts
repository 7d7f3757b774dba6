import { jobsIn, quantilesOf, type JobTimes } from './job-times.ts';
import { scheduledAges, type PollPlan } from './poll-schedule.ts';

/**
 * At which ages a job is polled, by how long jobs of its sort took so far.
 *
 * Polls cost requests, and too few of them cost time: a job that has ended waits for its next poll. With a price for a poll in time, the best
 * ages are the cheapest way through the times at which jobs end (dynamic programming, exact on a grid). The price is chosen so that jobs
 * wait no longer than under the user's fixed gap, with as few polls as that takes; where that takes very few, up to half of those of the
 * fixed gap are made, and the jobs wait less.
 *
 * Where job times have no peak, the fixed gap is the best plan there is. It is kept wherever the gain would be small, as it
 * could be a gain by chance.
 */

/** Jobs that must be known before they decide. */
const FEWEST_JOBS = 30;
/** Polls that are left, of those of the fixed gap, for the gain to be one; and less where few jobs could show one by chance. */
const WORTH_IT = 0.75;
const CHANCE = 2;
/** How much shorter jobs must seem to wait, for they will wait longer than those from which the plan was made. */
const RESERVE = 1.5;
const LEAST_RESERVE = 0.06;
/** Polls, of those of the fixed gap, that are made in any case. */
const LEAST_POLLS = 0.3;
/** And at least so many, where that is fewer than those of the fixed gap all the same. */
const LEAST_A_JOB = 1.3;
/** No poll follows another one, or the acceptance, sooner than this part of the gap. */
const CLOSEST = 0.25;
/** Steps of the grid between two quantiles, at most; as many as make them a third of the gap. */
const MOST_STEPS = 6;
const MOST_QUANTILES = 90;
/** The last jobs are spread wide. */
const TAIL = [0.993, 0.996, 0.998];
const TRIALS = 12;

/** Polls of a job and the wait between its end and the poll that sees it, on average. */
interface PollCost {
  readonly polls: number;
  readonly lagMs: number;
}

/** Times at which a job may be polled, and what is known at each. */
interface Point {
  readonly at: number;
  /** Part of the jobs that has ended by then. */
  readonly ended: number;
  /** Mean time of those, times their part. */
  readonly moment: number;
}

/** Ages at which to poll, ms, ascending; after the last one the schedule goes on. Null where the schedule itself is best. */
export function planPolls(times: JobTimes, plan: PollPlan): readonly number[] | null {
  const known = jobsIn(times);
  if (known < FEWEST_JOBS || plan.pollGapMs <= 0) return null;
  const grid = gridOf(times, known, plan.pollGapMs);
  const fixed = costOfSchedule(plan, grid);
  const mostLag = fixed.lagMs * (1 - Math.max(LEAST_RESERVE, Math.min(0.15, RESERVE / Math.sqrt(known))));
  const mostPolls = fixed.polls * (WORTH_IT - CHANCE / Math.sqrt(known));
  const closest = plan.pollGapMs * CLOSEST;
  const least = Math.max(LEAST_POLLS * fixed.polls, Math.min(LEAST_A_JOB, 0.6 * fixed.polls));
  // The price of a poll, ms: between none at all and the whole of the longest wait, tried by halving.
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

/** Where polls may lie: between the quantiles, which are close where many jobs end. Few jobs make few quantiles: that smooths them. */
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

/** The polls for which the price of all of them and the wait after the end add up to the least. */
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

/** What jobs that end between two polls wait for the second one, summed up. */
function lagBetween(here: Point, there: Point): number {
  return there.at * (there.ended - here.ended) - (there.moment - here.moment);
}

/** What polls at these ages cost where job times are those of the grid. */
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

/** What is known at a time at or before a point of the grid: jobs end evenly between points. */
function pointAt(grid: readonly Point[], next: number, at: number): Point {
  const [before, after] = [grid[next - 1], grid[next] as Point];
  if (before === undefined || after.at <= at || after.at === before.at) return { ...after, at };
  const part = (at - before.at) / (after.at - before.at);
  const ended = (after.ended - before.ended) * part;
  return { at, ended: before.ended + ended, moment: before.moment + (ended * (before.at + at)) / 2 };
}

/** What the schedule itself costs. */
function costOfSchedule(plan: PollPlan, grid: readonly Point[]): PollCost {
  const last = grid.at(-1) as Point;
  const ages = scheduledAges(plan, last.at);
  // A gap that is nothing beside the time that jobs take: they end evenly within it.
  if ((ages.at(-1) ?? 0) < last.at) return { polls: 1 + last.moment / plan.pollGapMs, lagMs: plan.pollGapMs / 2 };
  return costOf(ages, grid);
}
