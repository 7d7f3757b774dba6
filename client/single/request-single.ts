import { chosenRows, type RedriveRules } from '../../batches/redrive/selection.ts';
import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { isSameJob, type SoundJob } from '../../batches/single/single-job.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { ManifestProblem, ManifestWarning } from '../../contract/manifest-problems.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RepeatOptions, SameAgain } from '../../policy/single/same-again.ts';
import { realmOf, type ConnectedApi } from '../connect-api.ts';
import type { NotApproved } from '../person.ts';
import { byPerson } from '../history/by-person.ts';
import { warningsOf } from '../local-media/short-links.ts';
import { priceAndApprove, type BillFacts, type BillRequest } from '../run/price.ts';
import { recordBatch, type MoreFacts, type RecordEvent, type RecordRequest } from '../run/record-batch.ts';
import { redrivePlanned } from '../redrive/redrive.ts';
import type { RedriveEvent } from '../redrive/redrive-options.ts';
import { refuseForgottenBatch } from '../results/claim-out.ts';
import type { Session } from '../session.ts';
import { decideOn, findSingle, readSingle, type SingleRecord } from './find-single.ts';

/** Events while a single job is recorded or run again. */
export type SingleEvent =
  | RecordEvent
  /** What to know before the job is sent. */
  | { readonly type: 'warned'; readonly warnings: readonly ManifestWarning[] }
  /** An ended job is run again: its paid job is waited for again, free, or a new take is paid for. */
  | Extract<RedriveEvent, { readonly type: 'planned' | 'opening' }>;

/** A request for a single job. */
export interface SingleJobRequest
  extends RepeatOptions, Pick<RecordRequest, 'person' | 'ready'>, Pick<BillRequest, 'confirmAbove' | 'probe'> {
  readonly session: Session;
  readonly job: SoundJob;
  /** Changes to its limits and policies, also if the job is already on record. */
  readonly tuning: Tuning;
  /** Receives the events. Default: nobody does. */
  readonly onEvent?: ((event: SingleEvent) => void) | undefined;
}

/**
 * Result of requesting a single job. `open`: its batch needs a worker. `given`: it has its result, and nothing is sent.
 * `held`: it runs again only with an explicit flag (see `policy/single/same-again.ts`). `refused`, `declined`: its bill
 * was not approved. `not-opened`: it cannot continue as requested; `why` explains it in full sentences.
 */
export type SingleRequested =
  | { readonly type: 'open'; readonly batch: BatchRecord; readonly isNew: boolean }
  | { readonly type: 'given'; readonly record: SingleRecord }
  | {
      readonly type: 'held';
      readonly why: Extract<SameAgain, { readonly type: 'hold' }>['why'];
      readonly record: SingleRecord;
    }
  | { readonly type: 'faulty'; readonly problems: readonly ManifestProblem[] }
  | NotApproved<BillFacts | MoreFacts>
  | { readonly type: 'not-opened'; readonly why: string };

/**
 * Records a new job. For one already on record, does what repeating it means (see `policy/single/same-again.ts`). Sends
 * no paid request. Throws {@link VoxbatchError} (everything a session throws, `no-price`, and `forgotten-batch`).
 */
export async function requestSingle(request: SingleJobRequest): Promise<SingleRequested> {
  const { session } = request;
  const open = await session.api();
  const ledger = await session.ledger();
  const { job, name, found } = await findSingle(ledger, request.job, realmOf(open));
  if (found?.batch.state === 'closed' && !needsNewBatch(found, request)) return repeat(found, request, open);
  if (found?.batch.state !== 'open') await refuseForgotten(name, request);
  const { local } = job.checked.summary;
  const warnings = await warningsOf({ local, warnings: [] }, session.settings, job.settings);
  request.onEvent?.({ type: 'warned', warnings });
  const recorded = await recordBatch({
    session,
    source: job.source,
    checked: job.checked,
    plan: {
      name,
      out: null,
      settings: job.settings,
      givesReading: false,
      givesTemplate: false,
      tuning: withoutCache(request.tuning),
      ...{ confirmAbove: request.confirmAbove, probe: request.probe },
    },
    ...{ person: request.person, ready: request.ready, onEvent: request.onEvent },
  });
  switch (recorded.type) {
    case 'refused':
    case 'declined':
      return recorded;
    case 'faulty':
      return { type: 'faulty', problems: recorded.summary.problems };
    case 'taken':
      // The same job, whose local files have moved since.
      if (found !== undefined && isSameJob(found.row.spec, job.spec)) return repeat(found, request, open);
      throw new Error(`Batch "${name}" is not the job that its name says.`);
    case 'new':
      return { type: 'open', batch: recorded.batch, isNew: true };
    case 'known':
      return repeat(await readSingle(ledger, recorded.batch), request, open);
  }
}

/**
 * Checks that the store has no result of a job whose record was lost with a former state of the ledger. `--again` pays
 * for it all the same.
 */
async function refuseForgotten(name: string, { session, job, again }: SingleJobRequest): Promise<void> {
  if (again) return;
  const { cache } = job.settings;
  await refuseForgottenBatch({ name, out: null, cache }, undefined, await session.ledger(), session.settings);
}

/** Changes to an open batch. Its cache mode stays, because it was approved together with the price. */
function withoutCache({ cache: _, ...others }: Tuning): Tuning {
  return others;
}

/** Whether the job needs a new batch: its old one can no longer run, because `clean` removed its request. */
function needsNewBatch(record: SingleRecord, options: RepeatOptions): boolean {
  return areRowsCleaned(record.batch) && decideOn(record, options).type === 'redrive';
}

/** Does what repeating a recorded job means. */
async function repeat(record: SingleRecord, request: SingleJobRequest, open: ConnectedApi): Promise<SingleRequested> {
  const decided = decideOn(record, request);
  switch (decided.type) {
    case 'give':
      return { type: 'given', record };
    case 'go-on':
      return continueOpen(record, request, open);
    case 'hold':
      return { type: 'held', why: decided.why, record };
    case 'redrive':
      return redrive(record, request);
  }
}

/**
 * Continues an open job. Leaving the cache mode `only` needs a price first, because nobody has approved one yet;
 * entering it is refused, because the open job may be paid for.
 */
async function continueOpen(
  { batch, row }: SingleRecord,
  request: SingleJobRequest,
  open: ConnectedApi,
): Promise<SingleRequested> {
  const { session, job, ready } = request;
  const { cache } = job.settings;
  const before = batch.settings.cache;
  if (row.outcome !== null || (before === 'only') === (cache === 'only')) return { type: 'open', batch, isNew: false };
  if (cache === 'only') return { type: 'not-opened', why: OPEN_AT_ITS_PRICE };
  await refuseForgotten(batch.name, request);
  const ledger = await session.ledger();
  await ready?.();
  const billed = await priceAndApprove({ ...request, ...job, open, ledger });
  if (billed.type === 'faulty') return { type: 'faulty', problems: billed.summary.problems };
  if (billed.type !== 'approved') return billed;
  await ledger.tune(batch.name, { cache }, byPerson(session.settings));
  return { type: 'open', batch: (await ledger.findBatch(batch.name)) ?? batch, isNew: false };
}

const OPEN_AT_ITS_PRICE =
  'This was asked for before and has not ended, so it may be paid for, which --cache only rules out. ' +
  'Without it, the same job goes on.';

/** Runs an ended job again: waits for its paid job again for free, or pays for a new take. */
async function redrive(record: SingleRecord, request: SingleJobRequest): Promise<SingleRequested> {
  const { batch } = record;
  const { session, job, person, confirmAbove, again, resubmit, onEvent } = request;
  const ledger = await session.ledger();
  // The cache mode of this command counts, not that of an earlier one: otherwise `--cache only` would stay in force.
  const tuning = { ...request.tuning, cache: job.settings.cache };
  const rules: RedriveRules = { step: null, resubmit, replace: again, accept: false, asksForOverdue: false };
  const rows = chosenRows(ledger, batch.name, {});
  const plan = { draft: await draftRedrive(ledger, batch, rows, rules, tuning), rows, fileSha256: null };
  if (plan.draft.paying > 0) await refuseForgotten(batch.name, request);
  await request.ready?.();
  const terms = { tuning, out: null, confirmAbove, isExplicit: true };
  const redriven = await redrivePlanned(session, batch, plan, terms, person, (event) => {
    if (event.type === 'planned' || event.type === 'opening') onEvent?.(event);
  });
  switch (redriven.type) {
    case 'refused':
    case 'declined':
      return { ...redriven, facts: { ...redriven.facts, batch: batch.name } };
    case 'open-edits':
    case 'unasked':
      throw new Error('A single job is never edited, and its flags are its consent.');
    case 'refused-rows':
      return { type: 'held', why: 'unknown', record };
    case 'not-opened':
      return redriven;
    case 'open':
    case 'finished': {
      const now = (await ledger.findBatch(batch.name)) ?? batch;
      return now.state === 'closed'
        ? { type: 'given', record: await readSingle(ledger, now) }
        : { type: 'open', batch: now, isNew: false };
    }
  }
}
