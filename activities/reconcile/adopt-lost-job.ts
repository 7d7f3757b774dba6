import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ListedJob } from '../../api/speech-api.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { dialectOf, type ListedOperation, type RowSpec } from '../../contract/row-kinds.ts';
import { isLinkToCell } from '../../contract/local-media.ts';
import { API_CLOCK_SLACK_MS } from '../../policy/clocks.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import {
  chooseJob,
  mayBe,
  type Finding,
  type LostCreate,
  type OtherCreate,
} from '../../policy/reconcile/match-lost-job.ts';
import type { Dependencies } from '../dependencies.ts';
import type { JobListing } from './shared-job-list.ts';
import type { LoadedAttempt } from '../attempt.ts';
import { coversSince, readJobList } from './read-job-list.ts';

/** Maximum time between sending a create request and the creation of its job, ms. */
const MAX_CREATE_MS = 15 * 60_000;
/** Pause before a list without the job is read again, ms. A job may appear in the list a moment after its creation. */
const REREAD_AFTER_MS = 1_500;
/** A job appears in the list within this time after its request, ms. */
const LISTED_WITHIN_MS = 60_000;

/** Hashes a link for the record, so that it can be recognised in a list but not read from the record. */
export function hashOf(link: string): string {
  return createHash('sha256').update(link).digest('hex');
}

/**
 * Adopts the job that a create request with a lost answer has made: finds it in the API's list, and calls `adopt` with
 * its id if the list leaves no doubt. `adopt` returns false if another attempt has the job by now; then the next job
 * that matches is tried. Returns the id of the adopted job; undefined if there is none. Throws ApiError if the list
 * cannot be read.
 */
export async function adoptLostJob(
  deps: Dependencies,
  loaded: LoadedAttempt & { readonly operation: ListedOperation },
  key: AttemptKey,
  signal: AbortSignal,
  adopt: (jobId: string) => Promise<boolean>,
): Promise<string | undefined> {
  const { charge, operation } = loaded;
  if (charge === undefined) return undefined;
  for (let reads = 1; ; reads++) {
    // Other searches may share this read of the list, so only the end of the process aborts it.
    const list = { dialect: dialectOf(loaded.row.spec), operation };
    const listing = await deps.jobLists.next(list, () => readJobList(deps, list, key.batch, deps.ending));
    signal.throwIfAborted();
    const taken = new Set<string>();
    for (;;) {
      const finding = await choose(deps, loaded, charge, listing, taken);
      if (finding.type === 'found') {
        if (await adopt(finding.id)) return finding.id;
        // Another attempt has this job; try the next one that matches.
        taken.add(finding.id);
        continue;
      }
      const isYoung = deps.clock.now().wall - charge.intentAt < LISTED_WITHIN_MS;
      if (finding.type === 'ambiguous' || reads > 1 || !isYoung) return undefined;
      break;
    }
    await sleep(REREAD_AFTER_MS, undefined, { signal });
  }
}

/** Chooses the job of the list that this create can have made. `refused`: ids of jobs that other attempts have. */
async function choose(
  deps: Dependencies,
  loaded: LoadedAttempt,
  charge: ChargeRecord,
  listing: JobListing,
  refused: ReadonlySet<string>,
): Promise<Finding> {
  const { apiUrl, account } = loaded.batch;
  const { spec } = loaded.row;
  const audioHash = audioHashOf(spec, charge);
  const since = charge.intentAt - API_CLOCK_SLACK_MS - MAX_CREATE_MS;
  const lost: LostCreate = {
    isVideo: (url) => isLinkToCell(url, spec.video ?? ''),
    isAudio: (url) => hashOf(cellOfSent(url, spec)) === audioHash,
    intentAt: charge.intentAt,
    lookedAt: listing.begunAt,
    clockSlackMs: API_CLOCK_SLACK_MS,
  };
  if (!coversSince(since, listing)) return { type: 'ambiguous' };
  const fitting = listing.jobs.filter((one) => !refused.has(one.id) && mayBe(lost, one));
  const isEchoed = fitting.some(({ videoUrl }) => videoUrl !== undefined);
  // In this order: a create that began after the list was read is either in doubt now, or has its job by then.
  const others = isEchoed ? await othersWithLinks(deps, loaded, charge, since) : [];
  const free: ListedJob[] = [];
  for (const job of fitting) {
    if ((await deps.ledger.holderOfJob(apiUrl, account, charge.step, job.id)) === undefined) free.push(job);
  }
  return chooseJob(lost, free, others);
}

/**
 * Returns the row's audio cell if the link leads to it (links to local media differ from request to request), else the
 * link.
 */
function cellOfSent(url: string, { audio }: RowSpec): string {
  return audio !== undefined && isLinkToCell(url, audio) ? audio : url;
}

/** Reads the other creates in doubt, of all batches, that the API's list would show with the same links. */
async function othersWithLinks(
  deps: Dependencies,
  { row, batch }: LoadedAttempt,
  charge: ChargeRecord,
  since: number,
): Promise<readonly OtherCreate[]> {
  const audio = audioHashOf(row.spec, charge);
  const unresolved = await deps.ledger.otherUnresolved(batch.apiUrl, batch.account, charge, since);
  return unresolved
    .filter((one) => one.spec.video === row.spec.video && audioHashOf(one.spec, one) === audio)
    .map(({ spec, state, intentAt }) => ({
      isSame: isDeepStrictEqual(spec.extra, row.spec.extra),
      isSending: state === 'sending',
      intentAt,
    }));
}

/** Returns a hash that identifies the audio of a request, whether it is the row's or the previous step's. */
function audioHashOf({ audio }: RowSpec, { linkHash }: Pick<ChargeRecord, 'linkHash'>): string | null {
  return audio === undefined ? linkHash : hashOf(audio);
}
