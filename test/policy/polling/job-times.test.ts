/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { earlyJobMs, learnTimes, longestJobMs, NO_JOB_TIMES, type Span } from '../../../policy/polling/job-times.ts';
import { nextPoll } from '../../../policy/polling/poll-schedule.ts';
import { seeded } from '../../chaos/seeded.ts';

type Law = (random: () => number, job: number) => number;

const normal: Law = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const logNormal =
  (medianMs: number, sigma: number): Law =>
  (random, job) =>
    medianMs * Math.exp(sigma * normal(random, job));

/** Polls a job, and the mean wait between its end and the poll that sees it, with some jobs in flight. */
function run(law: Law, gapMs: number, inFlight: number, learns: boolean): { polls: number; lagMs: number } {
  const [draw, spread] = [seeded(7), seeded(8)];
  let times = NO_JOB_TIMES;
  let seen: Span[] = [];
  let [polls, lag] = [0, 0];
  for (let job = 0; job < 5_000; job++) {
    const end = law(draw, job);
    let [ran, age, count] = [0, Math.max(gapMs, learns ? earlyJobMs(times) : 0), 1];
    for (; age < end; count++) [ran, age] = [age, nextPoll({ firstLookMs: gapMs, pollGapMs: gapMs }, age, spread())];
    if (job >= 300) [polls, lag] = [polls + count, lag + age - end];
    // What is learned is what was seen: that it ended between two polls.
    seen.push([ran, age]);
    if (seen.length < inFlight) continue;
    times = learnTimes(times, seen);
    seen = [];
  }
  return { polls: polls / 4_700, lagMs: lag / 4_700 };
}

it.each<[string, Law, number, most: number]>([
  ['log-normal, polled often', logNormal(60_000, 0.35), 5_000, 0.6],
  ['log-normal, polled rarely', logNormal(60_000, 0.35), 15_000, 0.8],
  ['always the same, give or take a little', (random, job) => 60_000 + 2_000 * normal(random, job), 5_000, 0.25],
  ['spread wide', logNormal(60_000, 0.8), 5_000, 0.9],
  ['exponential', (random) => -60_000 * Math.log(1 - random()), 5_000, 1.01],
  [
    'half as long from some job on',
    (random, job) => logNormal(job < 2_000 ? 60_000 : 30_000, 0.2)(random, job),
    5_000,
    0.5,
  ],
  [
    'twice as long from some job on',
    (random, job) => logNormal(job < 2_000 ? 30_000 : 60_000, 0.2)(random, job),
    5_000,
    0.5,
  ],
])(
  'jobs that are polled from the time on when such jobs begin to end take fewer polls, and wait hardly longer, with 8 and 32 in flight: times that are %s',
  (_, law, gapMs, most) => {
    const fixed = run(law, gapMs, 1, false);
    for (const inFlight of [8, 32]) {
      const learned = run(law, gapMs, inFlight, true);
      expect(learned.polls / fixed.polls).toBeLessThanOrEqual(most);
      expect(learned.lagMs / fixed.lagMs).toBeLessThanOrEqual(1.15);
    }
  },
);

describe('what is known of the times of jobs', () => {
  const few = (jobs: number): Span[] => Array.from({ length: jobs }, (_, job) => [59_000 + job, 60_000 + job]);

  it('decides nothing as long as few are known; the longest may be half of what another takes', () => {
    expect(longestJobMs(NO_JOB_TIMES)).toBeUndefined();
    const times = learnTimes(NO_JOB_TIMES, few(29));
    expect([earlyJobMs(times), longestJobMs(times)]).toEqual([0, 120_056]);
    const known = learnTimes(times, few(1));
    expect([earlyJobMs(known), longestJobMs(known)]).toEqual([59_000, 60_028]);
  });

  it('is no later than half of the age at which a job was first read and had ended', () => {
    expect(earlyJobMs(learnTimes(NO_JOB_TIMES, [...few(29), [0, 60_000]]))).toBe(30_000);
  });

  it('comes to rest where hardly any job ends before it, and hardly any after', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (ms) => {
        const random = seeded(ms);
        const spans = Array.from({ length: 3_000 }, (): Span => {
          const end = ms * (1 + random());
          return [end, end];
        });
        const times = learnTimes(NO_JOB_TIMES, spans);
        expect(earlyJobMs(times) / ms).toBeGreaterThan(0.8);
        expect(earlyJobMs(times) / ms).toBeLessThan(1.3);
        expect((longestJobMs(times) ?? 0) / ms).toBeGreaterThan(1.7);
        expect((longestJobMs(times) ?? 0) / ms).toBeLessThan(2.3);
      }),
      { numRuns: 20 },
    );
  });
});
