import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api/speech-api.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import type { Failure } from '../../contract/failures.ts';
import { makesJob, operationOf, type linkOf, type MediaColumn } from '../../contract/row-kinds.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import { usedAttempt } from '../../policy/rows/row-machine.ts';
import type { Dependencies } from '../dependencies.ts';
import { missingLinkDetails } from '../fetch-result.ts';
import { type LoadedAttempt, attemptName } from '../attempt.ts';
import type { PollTrouble } from './polled-jobs.ts';
import { apiForRow } from '../row-api.ts';
import { readInTurn } from './read-in-turn.ts';

/** The step has its link, or needs none. */
export interface ReadyLink {
  readonly type: 'ready';
  readonly link?: { readonly column: MediaColumn; readonly url: string };
  /** From this time on the link must be read again before the request is sent, monotonic ms. */
  readonly freshUntil: number;
}

/** The result for a step that needs no link. */
export const NO_LINK_NEEDED: ReadyLink = { type: 'ready', freshUntil: Infinity };

/** The step has no link. */
export interface NoLink {
  /**
   * `later`: the job could not be read now. `ended`: there is no link to get; the row has ended, or repeats the earlier
   * step.
   */
  readonly type: 'later' | 'ended';
}

/** Which column of a request needs a link, and which earlier step's result it leads to. */
type LinkNeed = NonNullable<ReturnType<typeof linkOf>>;

/** The link that a request needs from an earlier step. */
export type Link = ReadyLink | NoLink;

/** A link older than this is read again before it is sent, ms: the API does not state how long links live. */
const FRESH_MS = 500;

/** Pause after a read that brought no link, ms. */
const LATER_MS = 1_000;

/**
 * Gets a fresh link to the result of an earlier step (the speech of a `dub`) right before the step that needs it is
 * sent, by reading the earlier step's job again. Links are short-lived, and a request with a dead link would be paid
 * for in vain. `loaded`, `key`: the attempt that needs the link.
 */
export async function freshLink(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  { of: step, column }: LinkNeed,
  signal: AbortSignal,
): Promise<Link> {
  const { row, batch, charges } = loaded;
  const operation = operationOf(row.spec, step, batch.settings.tts);
  const before = usedAttempt(row, charges, step);
  const jobId = before?.jobId ?? before?.source?.jobId;
  // Only the attempt that the current take uses: a link of an earlier take may be of another text.
  if (!makesJob(operation) || before === undefined || jobId == null || before.file === null) {
    const message = `The ${step} of this row has no result to read a link from; have it done again from there.`;
    return endWith(deps, key, message);
  }
  const attempts = { key, before };
  const name = attemptName(key);
  try {
    let askedAt = 0;
    const reading = await readInTurn(deps, key.batch, signal, () => {
      askedAt = deps.clock.now().monotonic;
      return apiForRow(deps, row).readJob(operation, jobId, signal, row.spec);
    });
    if (reading.resultUrl !== undefined) {
      deps.polls.forget(name);
      return { type: 'ready', link: { column, url: reading.resultUrl }, freshUntil: askedAt + FRESH_MS };
    }
    const { cause, answer = '' } = missingLinkDetails(reading);
    const message = `The ${step} job ${jobId} no longer gives a link to its result. ${answer}`.trim();
    return await retryOrGiveUp(deps, attempts, signal, { trouble: 'result', message, ...defined({ cause }) });
  } catch (error) {
    if (signal.aborted) return { type: 'later' };
    if (!(error instanceof ApiError)) throw error;
    const { failure } = error;
    deps.observe({ type: 'note', what: 'link-unread', ...key, facts: { failure: failure.class } });
    if (failure.class !== 'BadToken') {
      const trouble = failure.class === 'BadRequest' ? 'result' : 'read';
      return retryOrGiveUp(deps, attempts, signal, { ...failure, trouble });
    }
    await deps.ledger.setControl(key.batch, 'paused', failure);
    return later(signal);
  }
}

/**
 * Maximum consecutive reads without a link. `result`: of a completed job that has none. `read`: of a job that cannot be
 * read.
 */
const MAX_READS: Readonly<Record<PollTrouble, number>> = { result: 6, read: 150 };

/** Like {@link MAX_READS}, for the job of an earlier, equal row, which the API may have forgotten long ago. */
const MAX_READS_OF_EARLIER: Readonly<Record<PollTrouble, number>> = { ...MAX_READS, result: 2 };

/**
 * Counts a read without a link. Too many of them end the row, or the use of an earlier row's result. `before`: the
 * attempt of the earlier step whose job was read.
 */
async function retryOrGiveUp(
  deps: Dependencies,
  { key, before }: { readonly key: AttemptKey; readonly before: ChargeRecord },
  signal: AbortSignal,
  { trouble, message, ...from }: { readonly trouble: PollTrouble } & Omit<Failure, 'class'>,
): Promise<Link> {
  const name = attemptName(key);
  const isEarlier = before.state === 'cached';
  const reads = deps.polls.countTrouble(name, trouble, deps.clock.now().monotonic);
  if (reads < (isEarlier ? MAX_READS_OF_EARLIER : MAX_READS)[trouble]) return later(signal);
  deps.polls.forget(name);
  // The API may have forgotten the other row's job. The row makes the speech itself, as if there were no earlier
  // result.
  if (isEarlier) {
    await deps.ledger.revokeCached(before);
    return { type: 'ended' };
  }
  return endWith(deps, key, message, from);
}

/** Pauses before the caller tries again. */
async function later(signal: AbortSignal): Promise<Link> {
  await sleep(LATER_MS, undefined, { signal }).catch(() => undefined);
  return { type: 'later' };
}

/** Ends the row as `failed`: without a link its step cannot be sent. `from`: further facts of the failure. */
async function endWith(deps: Dependencies, key: AttemptKey, message: string, from?: Partial<Failure>): Promise<Link> {
  const failure: Failure = { ...from, class: 'ResultGone', message: `${message} The ${key.step} was not paid for.` };
  const ending = { outcome: 'failed', failure } as const;
  await deps.ledger.giveUp(key, ending);
  return { type: 'ended' };
}
