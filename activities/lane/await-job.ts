import type { HeldAttempt, Move } from '../../contract/batch.ts';
import { firstLook } from '../../workflows/policy/looks.ts';
import { nameOf, type Dependencies } from '../dependencies.ts';
import { loadAttempt, moveAfter, type LoadedAttempt } from '../load-attempt.ts';
import { lookAtJob } from '../look-at-job.ts';
import { sortsOf, waitedJob, type WaitedJob } from '../waited-job.ts';
import type { Alarms } from './alarms.ts';

/** What a wait can be ended by. */
export interface Waiting {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Rings when the ledger may say something new about rows that are waited for. */
  readonly alarms: Alarms;
}

/**
 * Waits for the job of an attempt, and returns what the row needs then. The attempt itself is returned as it was where the signal ended
 * the wait.
 *
 * A job is in one of three states here. *Due later*: nothing happens. *Looked at*: one read waits for its turn or is on the wire; it
 * brings "still running" (due later again), an end (recorded at once) or a link. *Fetched*: the download runs in this process whoever waits for
 * it, so that it is not begun again when a lane changes hands. Everything may be done twice: reading is free, and records are written
 * once.
 */
export async function awaitJob(
  deps: Dependencies,
  key: HeldAttempt,
  known: LoadedAttempt,
  { signal, alarms }: Waiting,
): Promise<Move> {
  const name = nameOf(key);
  for (let loaded = known; ; loaded = await loadAttempt(deps, key)) {
    const next = moveAfter(key, loaded.row, loaded.charges);
    const job = waitedJob(key, loaded);
    if (next.do !== 'wait' || job === undefined || name !== nameOf({ batch: key.batch, ...next.at })) {
      deps.looks.forget(name);
      deps.crowd.settled(name);
      return next;
    }
    if (deps.fetches.isRunning(name)) await alarms.sleepDuring(deps.fetches.settled(name));
    else await lookWhenDue(deps, job, { signal, alarms });
    if (signal.aborted) return next;
  }
}

/** One look when its time has come. Woken early it does not look: the ledger may know something. */
async function lookWhenDue(deps: Dependencies, job: WaitedJob, { signal, alarms }: Waiting): Promise<void> {
  const now = deps.clock.now();
  const { settings } = job.loaded.batch;
  const dueAt = deps.looks.dueAt(job.name, () => {
    const ages = deps.jobTimes.agesOf(deps, sortsOf(job), settings);
    return firstLook(settings, ages, job.acceptedAt, now);
  });
  await alarms.sleep(dueAt - now.monotonic);
  if (!signal.aborted && deps.clock.now().monotonic >= dueAt - 1) await lookAtJob(deps, job, signal);
}
