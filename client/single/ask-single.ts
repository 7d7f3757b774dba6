import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import { chosenRows, type RedriveRules } from '../../batches/redrive/selection.ts';
import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { isSameJob, type SoundJob } from '../../batches/single/single-job.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { decideAgain, decideCleaned, type AgainWish, type SameAgain } from '../../policy/single/same-again.ts';
import { requireStore } from '../claim-store.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import { payerOf, approve, type NotApproved } from '../person.ts';
import { priceAndApprove, type BillFacts, type BillRequest } from '../run/price.ts';
import { putOnRecord, type MoreFacts, type RecordEvent, type RecordRequest } from '../run/put-on-record.ts';
import { redriveBatch, redriveFacts, type RedriveFacts } from '../redrive/redrive.ts';
import type { Session } from '../session.ts';
import { findSingle, readSingle, type SingleRecord } from './find-single.ts';

/** What is told while a job becomes a batch, or runs again. */
export type AskEvent =
  | RecordEvent
  /** It runs again: its result is waited for once more, free, or it is made anew at this price. */
  | { readonly type: 'again'; readonly facts: RedriveFacts | undefined };

/** A single job, and who pays for it. */
export interface AskRequest
  extends AgainWish, Pick<RecordRequest, 'person' | 'ready'>, Pick<BillRequest, 'confirmAbove' | 'probe'> {
  readonly session: Session;
  readonly job: SoundJob;
  /** Changes of its limits and policies; they apply to a job on record too. */
  readonly tuning: Tuning;
  /** Default: nobody is told. */
  readonly tell?: ((event: AskEvent) => void) | undefined;
}

/**
 * What became of a job. `open`: somebody has to work on its batch. `given`: it has its result, and nothing is sent.
 * `held`: it runs again only with a further word (see {@link decideAgain}). `refused`, `declined`: it may not be paid for.
 * `not-opened`: it cannot go on as asked for; `why` says it in whole sentences.
 */
export type Asked =
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
 * Records a job, or finds it on record and does what asking for it again means. Sends nothing that costs. Throws {@link
 * VoxbatchError} (all that a session throws, `no-price`).
 */
export async function askSingle(request: AskRequest): Promise<Asked> {
  const { session } = request;
  const open = await session.api();
  const ledger = await session.ledger();
  const { job, name, found } = await findSingle(ledger, request.job, realmOf(open));
  if (found?.batch.state === 'closed' && !isWantedAnew(found, request)) return askAgain(found, request, open);
  const recorded = await putOnRecord({
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
    ...{ person: request.person, ready: request.ready, tell: request.tell },
  });
  switch (recorded.type) {
    case 'refused':
    case 'declined':
      return recorded;
    case 'faulty':
      return { type: 'faulty', problems: recorded.summary.problems };
    case 'taken':
      // Files of it lie elsewhere now.
      if (found !== undefined && isSameJob(found.row.spec, job.spec)) return askAgain(found, request, open);
      throw new Error(`Batch "${name}" is not the job that its name says.`);
    case 'new':
      return { type: 'open', batch: recorded.batch, isNew: true };
    case 'known':
      return askAgain(await readSingle(ledger, recorded.batch), request, open);
  }
}

/** What changes of an open batch: how it uses earlier results was approved with its price. */
function withoutCache({ cache: _, ...others }: Tuning): Tuning {
  return others;
}

/**
 * What changes if the job is run again. Earlier results are used as this command says, or by default, whatever an earlier one said: else
 * `--cached-only` would hold for good.
 */
function tuningOf({ tuning, job }: Pick<AskRequest, 'tuning' | 'job'>): Tuning {
  return { ...tuning, cache: job.settings.cache };
}

/** What asking for a job on record again does. */
export function decideOn({ batch, row, charges }: SingleRecord, wish: AgainWish): SameAgain {
  return areRowsCleaned(batch)
    ? decideCleaned(row, charges, wish)
    : decideAgain(row, charges, wish, batch.state !== 'closed');
}

/** Whether it is to run again, and its batch cannot, because what it asked for was removed. */
function isWantedAnew(record: SingleRecord, wish: AgainWish): boolean {
  return areRowsCleaned(record.batch) && decideOn(record, wish).type === 'redrive';
}

async function askAgain(record: SingleRecord, request: AskRequest, open: OpenApi): Promise<Asked> {
  const decided = decideOn(record, request);
  switch (decided.type) {
    case 'give':
      return { type: 'given', record };
    case 'go-on':
      return goOn(record, request, open);
    case 'hold':
      return { type: 'held', why: decided.why, record };
    case 'redrive':
      return redrive(record, request, open);
  }
}

/** What `--cached-only` began has no approved price; and `--cached-only` goes on with nothing that may be paid for. */
async function goOn({ batch, row }: SingleRecord, request: AskRequest, open: OpenApi): Promise<Asked> {
  const { session, job, ready } = request;
  const { cache } = job.settings;
  const before = batch.settings.cache;
  if (row.outcome !== null || (before === 'only') === (cache === 'only')) return { type: 'open', batch, isNew: false };
  if (cache === 'only') return { type: 'not-opened', why: OPEN_AT_ITS_PRICE };
  const ledger = await session.ledger();
  await ready?.();
  const billed = await priceAndApprove({ ...request, ...job, open, ledger });
  if (billed.type === 'faulty') return { type: 'faulty', problems: billed.summary.problems };
  if (billed.type !== 'approved') return billed;
  await ledger.tune(batch.name, { cache });
  return { type: 'open', batch: (await ledger.findBatch(batch.name)) ?? batch, isNew: false };
}

const OPEN_AT_ITS_PRICE =
  'This was asked for before and has not ended, so it may be paid for, which --cached-only (the cache mode only) rules out. ' +
  'Without it, the same job goes on.';

async function redrive(record: SingleRecord, request: AskRequest, open: OpenApi): Promise<Asked> {
  const { batch } = record;
  const { session, again, resubmit } = request;
  const tuning = tuningOf(request);
  const ledger = await session.ledger();
  await requireStore(session.settings, ledger);
  const rules: RedriveRules = { step: null, resubmit, replace: again, accept: false, asksForOverdue: false };
  const rows = chosenRows(ledger, batch.name, {});
  const draft: RedriveDraft = await draftRedrive(ledger, batch, rows, rules, tuning);
  const take = { ledger, batch, draft, tuning };
  const redriven = await redriveBatch<MoreFacts>({
    ...take,
    rows,
    fileSha256: null,
    out: null,
    openApi: () => Promise.resolve(open),
    approve: () => approveAgain(take, request, open),
  });
  switch (redriven.type) {
    case 'refused':
    case 'declined':
      return redriven;
    case 'open-edits':
      throw new Error('A single job is never edited.');
    case 'refused-rows':
      return { type: 'held', why: 'unknown', record };
    case 'not-opened':
      return { type: 'not-opened', why: redriven.why };
    case 'open':
    case 'finished': {
      const now = (await ledger.findBatch(batch.name)) ?? batch;
      return now.state === 'closed'
        ? { type: 'given', record: await readSingle(ledger, now) }
        : { type: 'open', batch: now, isNew: false };
    }
  }
}

/** Whether a job on record may run again at its price. */
async function approveAgain(
  take: Parameters<typeof redriveFacts>[0],
  { person, confirmAbove, ready, tell }: AskRequest,
  open: OpenApi,
): Promise<NotApproved<MoreFacts> | undefined> {
  const { batch, draft, tuning = {} } = take;
  await ready?.();
  if (draft.paying === 0) {
    tell?.({ type: 'again', facts: undefined });
    return undefined;
  }
  // Nothing is sent for it.
  if (tuning.cache === 'only') return undefined;
  const facts = await redriveFacts(take, payerOf(person, open, confirmAbove));
  tell?.({ type: 'again', facts });
  return approve<MoreFacts>({ ...facts, batch: batch.name }, person);
}
