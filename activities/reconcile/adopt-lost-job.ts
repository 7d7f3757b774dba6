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

/** Max time between sending a create and the creation of its job, ms. */
const LONGEST_CREATE_MS = 15 * 60_000;
/** Delay before an empty list is read once more, ms. A job may appear in the list a moment after its creation. */
const SECOND_LOOK_MS = 1_500;
/** No job appears any more for an attempt older than this, ms. */
const SETTLED_AFTER_MS = 60_000;

/** Hashes a link for the record, so that it can be recognised in a list but not read from the record. */
export function hashOf(link: string): string {
  return createHash('sha256').update(link).digest('hex');
}

/**
 * Calls `adopt` with the job that a lost create made, if the list leaves no doubt. `adopt` returns false if another row
 * was quicker; then the next job that fits is tried. Returns the adopted job. Throws ApiError if the list cannot be
 * read.
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
  for (let looks = 1; ; looks++) {
    // Others may share the list, so only the end of the process aborts it.
    const list = { dialect: dialectOf(loaded.row.spec), operation };
    const listing = await deps.jobLists.next(list, () => readJobList(deps, list, key.batch, deps.ending));
    signal.throwIfAborted();
    const lost = new Set<string>();
    for (;;) {
      const finding = await choose(deps, loaded, charge, listing, lost);
      if (finding.type === 'found') {
        if (await adopt(finding.id)) return finding.id;
        // The job is already adopted; never offer it twice.
        lost.add(finding.id);
        continue;
      }
      const isYoung = deps.clock.now().wall - charge.intentAt < SETTLED_AFTER_MS;
      if (finding.type === 'ambiguous' || looks > 1 || !isYoung) return undefined;
      break;
    }
    await sleep(SECOND_LOOK_MS, undefined, { signal });
  }
}

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
  const since = charge.intentAt - API_CLOCK_SLACK_MS - LONGEST_CREATE_MS;
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
  // In this order: a create that began after the list was read is in doubt now, or its job is claimed by then.
  const others = isEchoed ? await othersWithLinks(deps, loaded, charge, since) : [];
  const free: ListedJob[] = [];
  for (const job of fitting) {
    if ((await deps.ledger.holderOfJob(apiUrl, account, charge.step, job.id)) === undefined) free.push(job);
  }
  return chooseJob(lost, free, others);
}

/** The audio cell of a row that this link stands for: a link to local media differs from request to request. */
function cellOfSent(url: string, { audio }: RowSpec): string {
  return audio !== undefined && isLinkToCell(url, audio) ? audio : url;
}

/** Other creates in doubt, of all batches, that the API's list would show with the same links. */
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

/** Identifies the audio of a request, whether given or made by the previous step. */
function audioHashOf({ audio }: RowSpec, { linkHash }: Pick<ChargeRecord, 'linkHash'>): string | null {
  return audio === undefined ? linkHash : hashOf(audio);
}
