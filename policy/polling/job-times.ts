/**
 * Durations of one operation's jobs, reduced to the two quantiles that polling needs. They are estimated by stochastic
 * approximation: each ended job moves a quantile up or down, in proportions that make it converge to the right value.
 * So the state has constant size, and follows a service that becomes slower or faster.
 */
export interface JobTimes {
  readonly jobs: number;
  /** Nearly all jobs run at least this long, ms. */
  readonly earlyMs: number;
  /** Nearly all jobs have ended by then, ms. */
  readonly longestMs: number;
}

/** A job was still running `fromMs` after its acceptance, and had ended after `toMs`. */
export type Span = readonly [fromMs: number, toMs: number];

/** The state before any job has ended. */
export const NO_JOB_TIMES: JobTimes = { jobs: 0, earlyMs: 0, longestMs: 0 };

/** Jobs needed before they decide when others are polled. */
const MIN_JOBS = 30;
/** Share of the jobs that end before their first poll. */
const EARLY = 0.03;
/** Share of the jobs that end within the longest known time. */
const NEARLY_ALL = 0.995;
/** How far all jobs together move a quantile. */
const PACE = 0.1;
/** While few jobs are known, another may take this many times as long as the longest. */
const BEYOND_FEW = 2;

/** Returns the durations after more jobs have ended. */
export function learnTimes(before: JobTimes, spans: readonly Span[]): JobTimes {
  return spans.reduce(learnOne, before);
}

function learnOne({ jobs, earlyMs, longestMs }: JobTimes, [fromMs, toMs]: Span): JobTimes {
  if (jobs >= MIN_JOBS)
    return { jobs: jobs + 1, earlyMs: moved(earlyMs, toMs, EARLY), longestMs: moved(longestMs, toMs, NEARLY_ALL) };
  // A job that had ended at its first poll may have taken much less.
  const early = Math.max(fromMs, toMs / 2);
  return {
    jobs: jobs + 1,
    earlyMs: jobs === 0 ? early : Math.min(earlyMs, early),
    longestMs: Math.max(longestMs, toMs),
  };
}

/** A job up to this many times as long as a quantile counts as below it, because the times of polls vary a little. */
const TOLERANCE = 1.03;

/** Returns a quantile after a job that took `ms`. `part`: share of the jobs that are to lie below the quantile. */
function moved(quantileMs: number, ms: number, part: number): number {
  return quantileMs * (ms <= quantileMs * TOLERANCE ? 1 - PACE * (1 - part) : 1 + PACE * part);
}

/** Returns the age before which hardly any job has ended, ms, so that earlier polls are useless; 0 if unknown. */
export function earlyJobMs({ jobs, earlyMs }: JobTimes): number {
  return jobs < MIN_JOBS ? 0 : earlyMs;
}

/** Returns how long nearly all jobs take at most, ms; undefined if no job has ended yet. */
export function longestJobMs({ jobs, longestMs }: JobTimes): number | undefined {
  if (jobs === 0) return undefined;
  return jobs < MIN_JOBS ? BEYOND_FEW * longestMs : longestMs;
}
