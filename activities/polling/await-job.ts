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
import { pollJob, type PollResult } from './poll-job.ts';
import { toAwaitedJob, type AwaitedJob, ageOf } from './awaited-job.ts';
import type { WakeUps } from '../lane/wake-ups.ts';

/** What can end a wait early. */
export interface Waiting {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Wakes waiters when the ledger may have news about their rows. */
  readonly wakeUps: WakeUps;
}

/** How often the row of a waiting job is read from the ledger, ms: changes by other processes send no wake-up here. */
const READ_EVERY_MS = 10_000;

/**
 * Waits for the job of an accepted attempt, polling it and starting the download of its result. Returns what the row
 * needs once it need not wait for this job any more. If the signal aborts first, the row still needs to wait.
 *
 * A job is in one of three states here. *Due later*: the wait sleeps until the next poll. *Polled*: a read waits for
 * its turn or is in flight; the job still runs (due later again), has ended (recorded at once) or has a link.
 * *Downloading*: the download runs in this process independently of any waiter, so it does not restart when another
 * lane takes the row. All of this may safely happen twice: reads are free, and the ledger records each end once.
 *
 * `known`: the attempt as recorded last. The ledger is read again only after a wake-up, and every ten seconds.
 */
export async function awaitJob(
  deps: Dependencies,
  key: FencedAttempt,
  known: LoadedAttempt,
  waiting: Waiting,
): Promise<RowProgress> {
  const name = attemptName(key);
  let loaded = known;
  let readAt = deps.clock.now().monotonic;
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
      const isSnapshot = answer !== undefined && answer !== 'same';
      loaded = isSnapshot ? buildAttempt(key, loaded.batch, answer) : await loadAttempt(deps, key);
      readAt = now;
    }
  } finally {
    // Also if the lane has lost the row, because nothing else tells the hints that this process has stopped waiting.
    expectHints();
  }
}

/** Waits for the next news about the job. Undefined: the row may have changed, so the ledger is to be read. */
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
 * Polls the job once it is due. Returns `same` if nothing is new; undefined if nothing is, but a wake-up came
 * meanwhile.
 */
async function pollWhenDue(deps: Dependencies, job: AwaitedJob, waiting: Waiting): Promise<PollResult | undefined> {
  const { signal, wakeUps } = waiting;
  const countBefore = wakeUps.count;
  const now = deps.clock.now();
  const { settings } = job.loaded.batch;
  const plannedAt = deps.polls.dueAt(job.name, () => {
    const earlyMs = deps.jobTimes.earlyJobMs(deps, job.operation);
    return firstPoll(settings, earlyMs, job.acceptedAt, now);
  });
  const isDue = await sleepUntilDue(deps, job, plannedAt, waiting);
  const poll = isDue && !signal.aborted ? await pollJob(deps, job, signal) : 'same';
  return poll === 'same' && wakeUps.count !== countBefore ? undefined : poll;
}

/**
 * Sleeps until a job should be read: a webhook mentioned it, or a poll is due that webhooks do not replace. Returns
 * false if it woke earlier, or if the poll that was due is replaced by webhooks; that poll is scheduled again later.
 * `plannedAt`: the next poll by the schedule, monotonic ms.
 */
async function sleepUntilDue(
  deps: Dependencies,
  job: AwaitedJob,
  plannedAt: number,
  waiting: Waiting,
): Promise<boolean> {
  const { clock, hints, polls } = deps;
  const { settings } = job.loaded.batch;
  hints.track(job.jobId, waiting, ageOf(job, clock.now().wall), settings.pollGapMs);
  const pollAt = roundToTick(settings, plannedAt);
  const dueAt = Math.min(pollAt, hints.pollAt(job.jobId));
  const sleepMs = Math.min(hints.isUsed ? READ_EVERY_MS : Infinity, dueAt - clock.now().monotonic);
  await waiting.wakeUps.sleep(sleepMs, (wake) => {
    hints.onWake(job.jobId, wake);
  });
  const { monotonic: now, wall } = clock.now();
  if (hints.pollAt(job.jobId) <= now) return true;
  // A timer may fire up to a millisecond early.
  if (now < pollAt - 1) return false;
  const age = ageOf(job, wall);
  const deadlineMs = job.waitedSince - job.acceptedAt + settings.jobDeadlineMs;
  const next = hints.skipPoll(job.jobId, age, (fromMs) => {
    const longestMs = deps.jobTimes.longestJobMs(deps, job.operation);
    return nextSafetyPollAge(settings, { longestMs, deadlineMs }, fromMs);
  });
  if (next === undefined) return true;
  polls.again(job.name, now + next - age);
  return false;
}
