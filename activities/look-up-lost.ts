import type { ListedJob } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import type { Operation } from '../contract/row-kinds.ts';
import { jobToAdopt, type LostCreate } from '../workflows/policy/adopt.ts';
import type { Dependencies } from './dependencies.ts';
import type { LoadedAttempt } from './load-attempt.ts';
import { waitForSlot } from './slots.ts';

/** Jobs a page; the largest that public material names. */
const PAGE_SIZE = 50;
/** Pages looked through; a window of minutes never needs as many. */
const MOST_PAGES = 100;
/** How far the API's clock may be from ours. */
const CLOCK_SLACK_MS = 60_000;

/** True if the API can be asked for a job whose id was lost. Only lip-sync jobs have a list. */
export function canLookUp(operation: Operation): boolean {
  return operation === 'lip-sync-job';
}

/** The job that a lost lip-sync create made, if the list leaves no doubt. Throws ApiError if the list cannot be read. */
export async function lookUpLost(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { row, charge, batch } = loaded;
  if (charge === undefined) return undefined;
  const lookedAt = deps.clock.now().wall;
  const lost: LostCreate = {
    videoUrl: row.spec.video ?? '',
    // The link that a chain was given is not on record; without it an echoing list cannot match.
    audioUrl: row.spec.audio ?? '',
    intentAt: charge.intentAt,
    lookedAt,
    clockSlackMs: CLOCK_SLACK_MS,
    othersOutstanding: (await deps.ledger.sending(key.batch)).some(
      (one) => one.step === key.step && one.row !== key.row,
    ),
  };
  const jobs: ListedJob[] = [];
  const claimed = new Set<string>();
  for (let page = 1; page <= MOST_PAGES; page++) {
    await waitForSlot(deps, 'read', batch.settings.limits.pollRate, signal);
    const { jobs: found, hasMore } = await deps.api.listLipSyncJobs(page, PAGE_SIZE, signal);
    for (const job of found) {
      jobs.push(job);
      if (await deps.ledger.isJobClaimed(batch.apiUrl, batch.account, job.id)) claimed.add(job.id);
    }
    if (!hasMore || found.length === 0) break;
  }
  return jobToAdopt(lost, jobs, (id) => claimed.has(id));
}
