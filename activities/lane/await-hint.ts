import { onTick, safetyAge } from '../../policy/polling/poll-schedule.ts';
import type { Dependencies } from '../dependencies.ts';
import { ageOf, type WaitedJob } from '../polling/waited-job.ts';
import type { WakeUps } from './wake-ups.ts';

/** A sleeping row is read again this often, ms: a change by another process wakes nobody here. */
const LONGEST_SLEEP_MS = 10_000;

/**
 * Sleeps until a job is to be read: because a webhook mentioned it, or because a poll is due that webhooks do not make
 * needless. Returns false if it woke before that; a poll that is left out is put off.
 */
export async function sleepUntilDue(
  deps: Pick<Dependencies, 'clock' | 'hints' | 'jobTimes' | 'polls' | 'ledger' | 'realm'>,
  job: WaitedJob,
  plannedAt: number,
  waiting: { readonly wakeUps: WakeUps },
): Promise<boolean> {
  const { clock, hints, polls } = deps;
  const { settings } = job.loaded.batch;
  hints.begin(job.jobId, waiting, ageOf(job, clock.now().wall), settings.pollGapMs);
  const pollAt = onTick(settings, plannedAt);
  const dueAt = Math.min(pollAt, hints.lookAt(job.jobId));
  const sleepMs = Math.min(LONGEST_SLEEP_MS, dueAt - clock.now().monotonic);
  await waiting.wakeUps.sleep(sleepMs, (wake) => {
    hints.wakes(job.jobId, wake);
  });
  const { monotonic: now, wall } = clock.now();
  if (hints.lookAt(job.jobId) <= now) return true;
  if (now < pollAt - 1) return false;
  const age = ageOf(job, wall);
  const deadlineMs = job.waitedSince - job.acceptedAt + settings.jobDeadlineMs;
  const next = hints.spare(job.jobId, age, (fromMs) => {
    const longestMs = deps.jobTimes.longestOf(deps, job.operation);
    return safetyAge(settings, { longestMs, deadlineMs }, fromMs);
  });
  if (next === undefined) return true;
  polls.again(job.name, now + next - age);
  return false;
}
