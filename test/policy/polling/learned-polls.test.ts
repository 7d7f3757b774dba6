/** @slow */
import { describe, expect, it } from '@jest/globals';
import { learnTimes, NO_JOB_TIMES, type JobTimes, type Span } from '../../../policy/polling/job-times.ts';
import { planPolls } from '../../../policy/polling/learned-polls.ts';
import { nextAge } from '../../../policy/polling/poll-schedule.ts';
import { seeded } from '../pacing/pace-simulation.ts';

type Law = (random: () => number) => number;

const normal: Law = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const logNormal =
  (medianMs: number, sigma: number): Law =>
  (random) =>
    medianMs * Math.exp(sigma * normal(random));

/** Polls a job, and the mean wait between its end and the poll that sees it, once some hundred jobs are known. */
function run(law: Law, gapMs: number, learns: boolean): { polls: number; lagMs: number } {
  const [draw, spread] = [seeded(7), seeded(8)];
  const plan = { firstLookMs: gapMs, pollGapMs: gapMs };
  let times: JobTimes = NO_JOB_TIMES;
  let ages: readonly number[] | null = null;
  let seen: Span[] = [];
  let [jobs, polls, lag] = [0, 0, 0];
  for (let job = 0; job < 5_000; job++) {
    const end = law(draw);
    let ran: number;
    let [age, count] = [0, 0];
    do {
      ran = age;
      age = ages === null && age === 0 ? gapMs : nextAge(plan, ages, age, spread());
      count += 1;
    } while (age < end);
    if (job >= 300) {
      jobs += 1;
      polls += count;
      lag += age - end;
    }
    // What is learned is what was seen: that it ended between two polls.
    seen.push([ran, age]);
    if (!learns || seen.length < Math.max(20, Math.min(500, job / 8))) continue;
    times = learnTimes(times, seen);
    seen = [];
    ages = planPolls(times, plan);
  }
  return { polls: polls / jobs, lagMs: lag / jobs };
}

describe('polls that learn, beside a fixed gap', () => {
  it.each<[string, Law, number]>([
    ['log-normal, polled often', logNormal(60_000, 0.35), 5_000],
    ['log-normal, polled rarely', logNormal(60_000, 0.35), 15_000],
    ['always the same, give or take a little', (random) => 60_000 + 2_000 * normal(random), 5_000],
    ['always the same', () => 1_000, 500],
  ])('take at most 0.65 of the polls, and jobs wait no longer: times that are %s', (_, law, gapMs) => {
    const [learned, fixed] = [run(law, gapMs, true), run(law, gapMs, false)];
    expect(learned.polls / fixed.polls).toBeLessThanOrEqual(0.65);
    expect(learned.lagMs / fixed.lagMs).toBeLessThanOrEqual(1.02);
  });

  it.each<[string, Law, number]>([
    ['exponential', (random) => -60_000 * Math.log(1 - random()), 5_000],
    ['exponential and short', (random) => -1_000 * Math.log(1 - random()), 1_000],
    ['heavy-tailed', (random) => 10_000 / (1 - random()) ** (1 / 1.5), 5_000],
    ['spread wide', logNormal(60_000, 0.8), 5_000],
    ['of two sorts', (random) => (random() < 0.7 ? 20_000 : 240_000) * Math.exp(0.15 * normal(random)), 15_000],
  ])('take no more polls, and jobs wait no longer: times that are %s', (_, law, gapMs) => {
    const [learned, fixed] = [run(law, gapMs, true), run(law, gapMs, false)];
    expect(learned.polls / fixed.polls).toBeLessThanOrEqual(1.02);
    expect(learned.lagMs / fixed.lagMs).toBeLessThanOrEqual(1.02);
  });
});

describe('a plan of polls', () => {
  const known = (jobs: number, ms: number): JobTimes =>
    learnTimes(
      NO_JOB_TIMES,
      Array.from({ length: jobs }, (_, index): Span => [ms + index, ms + index]),
    );

  it('is the fixed gap as long as few jobs are known', () => {
    expect(planPolls(known(29, 60_000), { firstLookMs: 5_000, pollGapMs: 5_000 })).toBeNull();
    expect(planPolls(known(60, 60_000), { firstLookMs: 5_000, pollGapMs: 5_000 })).not.toBeNull();
  });

  it('polls no closer together than a quarter of the gap, and in order', () => {
    const ages = planPolls(known(500, 60_000), { firstLookMs: 5_000, pollGapMs: 5_000 }) ?? [];
    expect(ages[0]).toBeGreaterThanOrEqual(1_250);
    for (const [index, age] of ages.slice(1, -1).entries())
      expect(age - (ages[index] ?? 0)).toBeGreaterThanOrEqual(1_250);
  });

  it('takes a gap that is nothing beside the times of jobs, or none, in its stride', () => {
    expect(() => planPolls(known(500, 3_600_000), { firstLookMs: 0, pollGapMs: 1 })).not.toThrow();
    expect(planPolls(known(500, 60_000), { firstLookMs: 0, pollGapMs: 0 })).toBeNull();
  });
});
