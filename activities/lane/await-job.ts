import type { FencedAttempt } from '../../contract/batch.ts';
import { firstPoll, roundToTick, nextSafetyPollAge } from '../../policy/polling/poll-schedule.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  buildAttempt,
  loadAttempt,
  nextMoveFor,
  attemptName,
  type LoadedAttempt,
  type RowProgress,
} from '../attempt.ts';
import { pollJob, type PollResult } from '../polling/poll-job.ts';
import { toAwaitedJob, type AwaitedJob, ageOf } from '../polling/awaited-job.ts';
import type { WakeUps } from './wake-ups.ts';

/** Signals that can end a wait. */
export interface Waiting {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Wakes waiters when the ledger may have news about their rows. */
  readonly wakeUps: WakeUps;
}

/** How often a waiting row is read again, ms. A change by another process wakes nobody here. */
const READ_EVERY_MS = 10_000;

/**
 * Waits for the job of an attempt, and returns what the row needs then. If the signal ends the wait, it returns the
 * attempt unchanged.
 *
 * A job is in one of three states here. *DueRow later*: nothing happens. *Polled*: a read waits for its turn or is in
 * flight; it returns "still running" (due later again), an end (recorded at once) or a link. *Fetched*: the download
 * runs in this process independently of any waiter, so it does not restart when a lane changes hands. Everything may
 * safely be done twice: reads are free, and records are written once.
 *
 * The row's state is the last one recorded; the ledger is read again only after a wake-up, and now and then.
 */
export async function awaitJob(
  deps: Dependencies,
  key: FencedAttempt,
  known: LoadedAttempt,
  waiting: Waiting,
): Promise<RowProgress> {
  const name = attemptName(key);
  let [loaded, readAt] = [known, deps.clock.now().monotonic];
  let hintedJob: string | undefined;
  const expectHints = (jobId?: string): void => {
    if (hintedJob !== undefined && hintedJob !== jobId) deps.hints.forget(hintedJob, waiting);
    hintedJob = jobId;
  };
  try {
    for (;;) {
      const next = nextMoveFor(key, loaded);
      const job = toAwaitedJob(key, loaded);
      if (next.type !== 'wait' || job === undefined || name !== attemptName({ batch: key.batch, ...next.at })) {
        deps.polls.forget(name);
        deps.concurrencyLimit.settled(name);
        return { next, snapshot: loaded };
      }
      expectHints(job.jobId);
      const answer = await nextAnswer(deps, job, waiting);
      if (answer === 'released') {
        deps.polls.forget(name);
        deps.concurrencyLimit.settled(name);
        return { next: { type: 'ended' }, deferral: 'released' };
      }
      if (waiting.signal.aborted) return { next };
      const { monotonic: now } = deps.clock.now();
      if (answer === 'same' && now - readAt < READ_EVERY_MS) continue;
      const isKnown = answer !== undefined && answer !== 'same';
      loaded = isKnown ? buildAttempt(key, loaded.batch, answer) : await loadAttempt(deps, key);
      readAt = now;
    }
  } finally {
    // Also if the lane has lost the row: nobody else reports that this process no longer waits for the job.
    expectHints();
  }
}

/** The next news about the job. Undefined: ask the ledger whether its row has changed. */
async function nextAnswer(
  deps: Dependencies,
  job: AwaitedJob,
  waiting: Waiting,
): Promise<Exclude<PollResult, 'fetched'> | undefined> {
  if (!deps.fetches.isRunning(job.name)) {
    const poll = await pollWhenDue(deps, job, waiting);
    if (poll !== 'fetched') return poll;
  }
  return waiting.wakeUps.sleepDuring(deps.fetches.settled(job.name));
}

/**
 * Polls once when the time has come. Returns `same` if nothing is new, and undefined if a wake-up came meanwhile: the
 * ledger may have news.
 */
async function pollWhenDue(deps: Dependencies, job: AwaitedJob, waiting: Waiting): Promise<PollResult | undefined> {
  const { signal, wakeUps } = waiting;
  const { count } = wakeUps;
  const now = deps.clock.now();
  const { settings } = job.loaded.batch;
  const plannedAt = deps.polls.dueAt(job.name, () => {
    const earlyMs = deps.jobTimes.earlyJobMs(deps, job.operation);
    return firstPoll(settings, earlyMs, job.acceptedAt, now);
  });
  const isTime = await sleepUntilDue(deps, job, plannedAt, waiting);
  const poll = isTime && !signal.aborted ? await pollJob(deps, job, signal) : 'same';
  return poll === 'same' && wakeUps.count !== count ? undefined : poll;
}

/**
 * Sleeps until a job should be read: a webhook mentioned it, or a poll is due that webhooks do not replace. Returns
 * false if it woke earlier. A skipped poll is rescheduled.
 */
async function sleepUntilDue(
  deps: Dependencies,
  job: AwaitedJob,
  plannedAt: number,
  waiting: Waiting,
): Promise<boolean> {
  const { clock, hints, polls } = deps;
  const { settings } = job.loaded.batch;
  hints.begin(job.jobId, waiting, ageOf(job, clock.now().wall), settings.pollGapMs);
  const pollAt = roundToTick(settings, plannedAt);
  const dueAt = Math.min(pollAt, hints.lookAt(job.jobId));
  const sleepMs = Math.min(hints.isUsed ? READ_EVERY_MS : Infinity, dueAt - clock.now().monotonic);
  await waiting.wakeUps.sleep(sleepMs, (wake) => {
    hints.wakes(job.jobId, wake);
  });
  const { monotonic: now, wall } = clock.now();
  if (hints.lookAt(job.jobId) <= now) return true;
  if (now < pollAt - 1) return false;
  const age = ageOf(job, wall);
  const deadlineMs = job.waitedSince - job.acceptedAt + settings.jobDeadlineMs;
  const next = hints.spare(job.jobId, age, (fromMs) => {
    const longestMs = deps.jobTimes.longestJobMs(deps, job.operation);
    return nextSafetyPollAge(settings, { longestMs, deadlineMs }, fromMs);
  });
  if (next === undefined) return true;
  polls.again(job.name, now + next - age);
  return false;
}
