import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type JobPage, type ListedJob } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import type { FailureClass } from '../contract/failures.ts';
import type { Operation } from '../contract/row-kinds.ts';
import type { ChargeRecord } from '../ledger/record-types.ts';
import { chooseJob, mayBe, type Finding, type LostCreate } from '../workflows/policy/adopt.ts';
import { lastAttempt } from '../workflows/policy/row-machine.ts';
import type { Dependencies } from './dependencies.ts';
import type { Listing } from './listings.ts';
import type { LoadedAttempt } from './load-attempt.ts';
import { readInTurn } from './slots.ts';

/** Jobs a page; the largest that public material names. */
const PAGE_SIZE = 50;
/** Pages looked through; a window of minutes never needs as many. */
const MOST_PAGES = 100;
/** Reads of a page that may fail before the look-up does; trouble that lost a create often lasts for a while. */
const MOST_READS = 6;
/** Failures of a read that may be over the next time. */
const PASSING: readonly FailureClass[] = ['NotSent', 'RateLimited', 'ServiceDown'];
/** A create may have been on its way for this long when its job was made. */
const LONGEST_CREATE_MS = 15 * 60_000;
/** How far the API's clock may be from ours. */
const CLOCK_SLACK_MS = 60_000;
/** A job may show up in the list a moment after it was made: an empty list is looked at once more after this, ms. */
const SECOND_LOOK_MS = 1_500;
/** Nothing shows up any more for an attempt that is older than this, ms. */
const SETTLED_AFTER_MS = 60_000;

/** True if the API can be asked for a job whose id was lost. Only lip-sync jobs have a list. */
export function canLookUp(operation: Operation): boolean {
  return operation === 'lip-sync-job';
}

/** How links are recorded: so that one in a list can be recognised, and none can be read from a record. */
export function hashOf(link: string): string {
  return createHash('sha256').update(link).digest('hex');
}

/**
 * Calls `adopt` with the job that a lost lip-sync create made, if the list leaves no doubt. `adopt` returns false where another row
 * was quicker; then the next job that fits is tried. Returns the job that was adopted. Throws ApiError if the list cannot be read.
 */
export async function lookUpLost(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
  adopt: (jobId: string) => Promise<boolean>,
): Promise<string | undefined> {
  const { charge } = loaded;
  if (charge === undefined) return undefined;
  for (let looks = 1; ; looks++) {
    // Others may share it, so only the end of the process ends it.
    const listing = await deps.listings.next(() => readList(deps, key.batch, deps.ending));
    signal.throwIfAborted();
    const lost = new Set<string>();
    for (;;) {
      const finding = await choose(deps, loaded, charge, key, listing, lost);
      if (finding.is === 'found') {
        if (await adopt(finding.id)) return finding.id;
        // Whoever has it is told of by the ledger; a job is not offered twice.
        lost.add(finding.id);
        continue;
      }
      const isYoung = deps.clock.now().wall - charge.intentAt < SETTLED_AFTER_MS;
      if (finding.is === 'doubt' || looks > 1 || !isYoung) return undefined;
      break;
    }
    await sleep(SECOND_LOOK_MS, undefined, { signal });
  }
}

async function choose(
  deps: Dependencies,
  { row, batch }: LoadedAttempt,
  charge: ChargeRecord,
  key: AttemptKey,
  { jobs, begunAt }: Listing,
  refused: ReadonlySet<string>,
): Promise<Finding> {
  const { apiUrl, account } = batch;
  const { video, audio } = row.spec;
  // In this order: a create that began after the list was read is in doubt now, or its job is claimed by then.
  const since = charge.intentAt - CLOCK_SLACK_MS - LONGEST_CREATE_MS;
  const lost: LostCreate = {
    videoUrl: video ?? '',
    isAudio: (url) => (audio === undefined ? hashOf(url) === charge.linkHash : url === audio),
    intentAt: charge.intentAt,
    lookedAt: begunAt,
    clockSlackMs: CLOCK_SLACK_MS,
    othersOutstanding: await deps.ledger.isOtherInDoubt(apiUrl, account, key, since),
  };
  const free: ListedJob[] = [];
  for (const job of jobs.filter((one) => !refused.has(one.id) && mayBe(lost, one))) {
    if (!(await deps.ledger.isJobClaimed(apiUrl, account, job.id))) free.push(job);
  }
  const finding = chooseJob(lost, free, 1);
  const mayBeAlike = finding.is === 'doubt' && lost.othersOutstanding && audio !== undefined;
  return mayBeAlike ? chooseJob(lost, free, await countAlike(deps, row.spec, charge, since)) : finding;
}

/** Lost creates of the batch with these very inputs, from the same time, the given one included. */
async function countAlike(
  deps: Dependencies,
  spec: LoadedAttempt['row']['spec'],
  charge: ChargeRecord,
  since: number,
): Promise<number> {
  let alike = 0;
  for await (const { row, charges } of deps.ledger.scanRows(charge.batch)) {
    if (row.spec.video !== spec.video || row.spec.audio !== spec.audio) continue;
    const last = lastAttempt(charges, charge.step);
    const isInDoubt = last?.state === 'sending' || last?.state === 'unknown';
    if (isInDoubt && last.intentAt >= since) alike += 1;
  }
  return alike;
}

/** The whole list, each job once: one that is made meanwhile moves the others to later pages. */
export async function readList(deps: Dependencies, batch: string, signal: AbortSignal): Promise<Listing> {
  const begunAt = deps.clock.now().wall;
  const jobs = new Map<string, ListedJob>();
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { jobs: found, hasMore } = await readPage(deps, batch, page, signal);
    for (const job of found) jobs.set(job.id, job);
    if (!hasMore || found.length === 0) break;
  }
  return { jobs: [...jobs.values()], begunAt };
}

/** Reads a page; again where that may help, with the pauses that all reads make then. */
async function readPage(deps: Dependencies, batch: string, page: number, signal: AbortSignal): Promise<JobPage> {
  for (let reads = 1; ; reads++) {
    try {
      return await readInTurn(deps, batch, signal, () => deps.api.listLipSyncJobs(page, PAGE_SIZE, signal));
    } catch (error) {
      const mayPass = error instanceof ApiError && PASSING.includes(error.failure.class) && !signal.aborted;
      if (!mayPass || reads >= MOST_READS) throw error;
    }
  }
}
