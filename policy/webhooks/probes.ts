import type { HintTrust } from './hint-trust.ts';

/**
 * Probes: the few jobs that are polled on schedule although webhooks announce ends. Only they can show that webhooks
 * have stopped coming.
 */
export interface Probes {
  /** Jobs that were waited for, probes or not. */
  readonly jobs: number;
  /** Probes that run. One that runs for very long is none any longer: it shows nothing. */
  readonly running: number;
  /** Probes that have ended, or are none any longer. */
  readonly over: number;
  /** Polls that found a probe still running. */
  readonly polls: number;
}

export const NO_PROBES: Probes = { jobs: 0, running: 0, over: 0, polls: 0 };

/** Polls of probes that may be spent per job. */
export const POLLS_A_JOB = 0.1;
/** The next poll of a probe comes at this multiple of its age at least: how late it may find out is a share of that, too. */
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
