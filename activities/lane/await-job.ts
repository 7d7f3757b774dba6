import type { FencedAttempt } from '../../contract/batch.ts';
import { firstPoll, onTick } from '../../policy/poll-schedule.ts';
import type { Dependencies } from '../dependencies.ts';
import { attemptOf, loadAttempt, moveAfter, nameOf, type LoadedAttempt, type RowNow } from '../attempt.ts';
import { pollJob, type PollResult } from '../poll-job.ts';
import { sortsOf, waitedJob, type WaitedJob } from '../waited-job.ts';
import type { WakeUps } from './wake-ups.ts';

/** What a wait can be ended by. */
export interface Waiting {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Wakes whoever waits when the ledger may say something new about rows that are waited for. */
  readonly wakeUps: WakeUps;
}

/** A row that is waited for is read again this often, ms: another process may have changed it, which wakes nobody here. */
const READ_EVERY_MS = 10_000;

/**
 * Waits for the job of an attempt, and returns what the row needs then. The attempt itself is returned as it was where the signal ended
 * the wait.
 *
 * A job is in one of three states here. *Due later*: nothing happens. *Polled*: one read waits for its turn or is in flight; it
 * brings "still running" (due later again), an end (recorded at once) or a link. *Fetched*: the download runs in this process whoever waits for
 * it, so that it is not begun again when a lane changes hands. Everything may be done twice: reading is free, and records are written
 * once.
 *
 * How the row stands is known from what was last recorded. The ledger is asked only after a wake-up, and now and then.
 */
export async function awaitJob(
  deps: Dependencies,
  key: FencedAttempt,
  known: LoadedAttempt,
  waiting: Waiting,
): Promise<RowNow> {
  const name = nameOf(key);
  let [loaded, readAt] = [known, deps.clock.now().monotonic];
  for (;;) {
    const next = moveAfter(key, loaded);
    const job = waitedJob(key, loaded);
    if (next.type !== 'wait' || job === undefined || name !== nameOf({ batch: key.batch, ...next.at })) {
      deps.polls.forget(name);
      deps.pagePolls.forget(name);
      deps.concurrencyLimit.settled(name);
      return { next, standing: loaded };
    }
    const answer = await nextAnswer(deps, job, waiting);
    if (waiting.signal.aborted) return { next };
    const { monotonic: now } = deps.clock.now();
    if (answer === 'same' && now - readAt < READ_EVERY_MS) continue;
    const isKnown = answer !== undefined && answer !== 'same';
    loaded = isKnown ? attemptOf(key, loaded.batch, answer) : await loadAttempt(deps, key);
    readAt = now;
  }
}

/** The next that is heard of the job. Undefined: whether its row changed is for the ledger to say. */
async function nextAnswer(
  deps: Dependencies,
  job: WaitedJob,
  waiting: Waiting,
): Promise<Exclude<PollResult, 'fetched'> | undefined> {
  if (!deps.fetches.isRunning(job.name)) {
    const poll = await pollWhenDue(deps, job, waiting);
    if (poll !== 'fetched') return poll;
  }
  return waiting.wakeUps.sleepDuring(deps.fetches.settled(job.name));
}

/** One poll when its time has come. Woken early it does not poll, and returns undefined: the ledger may know something. */
async function pollWhenDue(
  deps: Dependencies,
  job: WaitedJob,
  { signal, wakeUps }: Waiting,
): Promise<PollResult | undefined> {
  const { count } = wakeUps;
  const now = deps.clock.now();
  const { settings } = job.loaded.batch;
  const plannedAt = deps.polls.dueAt(job.name, () => {
    deps.pagePolls.waitsFor(job);
    const ages = deps.jobTimes.agesOf(deps, sortsOf(job), settings);
    return firstPoll(settings, ages, job.acceptedAt, now);
  });
  const dueAt = onTick(settings, plannedAt);
  await wakeUps.sleep(dueAt - now.monotonic);
  const isDue = !signal.aborted && deps.clock.now().monotonic >= dueAt - 1;
  const poll = isDue ? await pollJob(deps, job, signal) : 'same';
  return poll === 'same' && wakeUps.count !== count ? undefined : poll;
}
