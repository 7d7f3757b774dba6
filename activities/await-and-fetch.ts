import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwaitReply, AwaitRequest } from '../contract/activities.ts';
import type { HeldAttempt, WaitReport } from '../contract/batch.ts';
import { firstLook } from '../workflows/policy/looks.ts';
import { nameOf, type Dependencies } from './dependencies.ts';
import { loadAttempt, loadBatch, moveAfter } from './load-attempt.ts';
import { lookAtJob } from './look-at-job.ts';
import { waitedJob, type WaitedJob } from './waited-job.ts';

/** Resolution of the waiting loop; looks are seconds apart. */
const TICK_MS = 50;
/** How often to look whether the batch is being stopped, which may have ended rows that are waited for, ms. */
const LISTEN_EVERY_MS = 1_000;
/**
 * Looks of a slice that wait for their turn or are on the wire, at most. Where reads are scarce, those of a whole window would stand
 * in the way of reads that paid requests wait for (a fresh link, a list), and of the slice's end.
 */
const LOOKS_AT_ONCE = 16;
/** A row that is ready for its next step waits this long for others, so that they share a slice's end. */
const GATHER_MS = 300;

/**
 * Waits for the jobs of the given rows for a slice of time: looks at each when its turn comes, downloads, checks and stores
 * what is ready, and records how each ended. Returns the rows that need something else now.
 *
 * A job is in one of three states here. *Due later*: nothing happens; who is due for longest is looked at first. *Looked at*: one
 * read waits for its turn (the end of the slice takes it back) or is on the wire; it brings
 * "still running" (due later again), an end (recorded at once) or a link. *Fetched*: the download runs in this process,
 * not in this slice, so that a long one does not hold the others; a later slice finds it, or finds it done.
 *
 * A row that is ended elsewhere meanwhile (`stop --now`, a halt) leaves within a second.
 *
 * The slice ends early when nothing is left, or soon after a row of a chain is ready for its next step. Reads on the wire are
 * awaited. Everything may be done twice: reading is free, and records are written once.
 */
export async function awaitAndFetch(
  deps: Dependencies,
  request: AwaitRequest,
  signal: AbortSignal,
): Promise<AwaitReply> {
  let batch = await loadBatch(deps, request.batch);
  const settled: WaitReport[] = [];
  const waiting = new Map<string, WaitedJob>();
  const looks = new Map<string, Promise<void>>();
  const fetching = new Set<string>();
  let endsAt = performance.now() + request.sliceMs;
  let listensAt = performance.now() + LISTEN_EVERY_MS;
  const faults: unknown[] = [];
  const ending = new AbortController();
  const patience = AbortSignal.any([signal, ending.signal]);
  setMaxListeners(0, patience);

  /** Keeps a job that still runs; reports a row that needs something else. */
  const sort = async (key: HeldAttempt): Promise<void> => {
    const loaded = await loadAttempt(deps, key, batch);
    const next = moveAfter(key, loaded.row, loaded.charges);
    const job = waitedJob(key, loaded);
    // A row that waits for another job by now is handed back: its lane knows the new one by its key.
    if (next.do === 'wait' && job?.name === nameOf({ batch: key.batch, ...next.at })) {
      waiting.set(job.name, job);
      return;
    }
    waiting.delete(nameOf(key));
    deps.looks.forget(nameOf(key));
    settled.push({ row: key.row, next });
    if (next.do === 'submit') endsAt = Math.min(endsAt, performance.now() + GATHER_MS);
  };

  const look = async (job: WaitedJob): Promise<void> => {
    try {
      if (await lookAtJob(deps, job, signal, patience)) await sort(job.key);
      // Noted at once: a short download may be over at the next tick.
      else if (deps.fetches.isRunning(job.name)) fetching.add(job.name);
    } catch (error) {
      faults.push(error);
    } finally {
      looks.delete(job.name);
    }
  };

  /** Lets go of rows that a stop ended, or ends now. A download of theirs goes on, and its result still counts. */
  const listen = async (): Promise<void> => {
    listensAt = performance.now() + LISTEN_EVERY_MS;
    batch = await loadBatch(deps, request.batch);
    if (batch.control !== 'stopping') return;
    // Also what was on the wire when a `stop --now` came, and has a job since.
    await deps.ledger.cancelRest(request.batch);
    for (const job of [...waiting.values()]) if (!looks.has(job.name)) await sort(job.key);
  };

  await listen();
  for (const at of request.rows) await sort({ batch: request.batch, ...at });
  const goesOn = (): boolean => faults.length === 0 && !signal.aborted;
  while (waiting.size > 0 && goesOn() && performance.now() < endsAt) {
    if (performance.now() >= listensAt) await listen();
    const now = deps.clock.now();
    const due: { readonly job: WaitedJob; readonly at: number }[] = [];
    for (const job of [...waiting.values()]) {
      if (looks.has(job.name)) continue;
      if (deps.fetches.isRunning(job.name)) fetching.add(job.name);
      else if (fetching.delete(job.name)) await sort(job.key);
      else due.push({ job, at: deps.looks.dueAt(job.name, () => firstLook(batch.settings, job.acceptedAt, now)) });
    }
    const next = due.filter(({ at }) => at <= now.monotonic).sort((a, b) => a.at - b.at);
    for (const { job } of next.slice(0, Math.max(0, LOOKS_AT_ONCE - looks.size))) looks.set(job.name, look(job));
    await Promise.race([...looks.values(), sleep(TICK_MS)]);
  }
  ending.abort();
  await Promise.all(looks.values());
  if (faults.length > 0) throw faults[0];
  const { control } = await loadBatch(deps, request.batch);
  return { settled, control };
}
