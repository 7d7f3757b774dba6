/**
 * Whether webhooks can be trusted to announce the ends of jobs, so that polls can be skipped. Nothing else depends on
 * them: the API's own answer decides.
 *
 * - `trial`: nothing is known yet. Few jobs are polled, and what becomes of those shows whether webhooks come.
 * - `trusted`: they came for enough jobs in a row.
 * - `doubted`: a job had ended without one. All jobs are polled as if there were no webhooks, until they come again.
 */
export interface HintTrust {
  readonly standing: 'trial' | 'trusted' | 'doubted';
  /** Jobs in a row whose end a webhook announced. */
  readonly streak: number;
}

export const NEW_TRUST: HintTrust = { standing: 'trial', streak: 0 };

/** Announced ends in a row that make webhooks trusted. */
export const ENOUGH_HINTS = 8;

/** A job has ended. `missed`: a poll found that out, and no webhook came, not even soon afterwards. */
export function afterEnd(trust: HintTrust, how: 'hinted' | 'missed'): HintTrust {
  if (how === 'missed') return { standing: 'doubted', streak: 0 };
  const streak = Math.min(ENOUGH_HINTS, trust.streak + 1);
  return { standing: streak >= ENOUGH_HINTS ? 'trusted' : trust.standing, streak };
}

/** Whether polls may be left out. */
export function canSkipPolls({ standing }: HintTrust): boolean {
  return standing !== 'doubted';
}

/**
 * Probes: the few jobs that are polled on schedule although webhooks announce ends. Only they can show that webhooks
 * have stopped coming.
 */
export interface Probes {
  /** Jobs that were waited for, probes or not. */
  readonly jobs: number;
  /** Running probes. One that runs for very long stops being a probe: it shows nothing. */
  readonly running: number;
  /** Probes that have ended or stopped being probes. */
  readonly over: number;
  /** Polls that found a probe still running. */
  readonly polls: number;
}

export const NO_PROBES: Probes = { jobs: 0, running: 0, over: 0, polls: 0 };

/** Polls of probes that may be spent per job. */
export const POLLS_A_JOB = 0.1;
/**
 * The next poll of a probe comes at this multiple of its age at least: how late it may find out is a share of that,
 * too.
 */
const GROWTH = 1.25;

/** The age before which a probe that is polled at an age is not polled again, ms. */
export function nextProbeAge(ageMs: number): number {
  return GROWTH * ageMs;
}

/** What a probe is expected to cost before any has ended, in polls. */
const FIRST_COST = 2;

/** Whether one more job is to be a probe. Before webhooks are trusted, there is always one. */
export function needsProbe({ jobs, running, over, polls }: Probes, standing: HintTrust['standing']): boolean {
  if (standing === 'trial' && running === 0) return true;
  const cost = over === 0 ? FIRST_COST : Math.max(1, polls / over);
  return polls + (running + 1) * cost <= POLLS_A_JOB * jobs;
}
