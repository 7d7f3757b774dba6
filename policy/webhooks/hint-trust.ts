/**
 * Whether webhooks can be trusted to announce the ends of jobs, so that polls can be skipped. A webhook is only a hint
 * to poll now: the state of a job always comes from the API's own answer.
 *
 * - `trial`: nothing is known yet. A few jobs, the probes, are polled to see whether webhooks arrive for them.
 * - `trusted`: webhooks arrived for enough jobs in a row.
 * - `doubted`: a job ended without a webhook. All jobs are polled as if there were no webhooks, until they arrive
 *   again.
 */
export interface HintTrust {
  readonly state: 'trial' | 'trusted' | 'doubted';
  /** Jobs in a row whose end a webhook announced. */
  readonly streak: number;
}

/** The trust before any job has ended. */
export const NEW_TRUST: HintTrust = { state: 'trial', streak: 0 };

/** Announced ends in a row that make webhooks trusted. */
export const ENOUGH_HINTS = 8;

/**
 * Returns the trust after a job has ended. `missed`: a poll found it out, and no webhook arrived, even a little later.
 */
export function afterEnd(trust: HintTrust, how: 'hinted' | 'missed'): HintTrust {
  if (how === 'missed') return { state: 'doubted', streak: 0 };
  const streak = Math.min(ENOUGH_HINTS, trust.streak + 1);
  return { state: streak >= ENOUGH_HINTS ? 'trusted' : trust.state, streak };
}

/** Whether polls of most jobs may be skipped. */
export function canSkipPolls({ state }: HintTrust): boolean {
  return state !== 'doubted';
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

/** The count before any job was waited for. */
export const NO_PROBES: Probes = { jobs: 0, running: 0, over: 0, polls: 0 };

/** Polls of probes that may be spent per job. */
export const POLLS_A_JOB = 0.1;
/**
 * The next poll of a probe comes at this multiple of its age at least, so it finds the end late by a share of that age
 * at most.
 */
const GROWTH = 1.25;

/** Returns the age before which a probe, polled at `ageMs`, is not polled again, ms. */
export function nextProbeAge(ageMs: number): number {
  return GROWTH * ageMs;
}

/** Expected number of polls of a probe, before any has ended. */
const FIRST_COST = 2;

/** Whether one more job should become a probe. Before webhooks are trusted, at least one always runs. */
export function needsProbe({ jobs, running, over, polls }: Probes, state: HintTrust['state']): boolean {
  if (state === 'trial' && running === 0) return true;
  const cost = over === 0 ? FIRST_COST : Math.max(1, polls / over);
  return polls + (running + 1) * cost <= POLLS_A_JOB * jobs;
}
