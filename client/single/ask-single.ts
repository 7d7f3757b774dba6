import { chosenRows, type RedriveRules } from '../../batches/redrive/selection.ts';
import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { isSameJob, type SoundJob } from '../../batches/single/single-job.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { AgainWish, SameAgain } from '../../policy/single/same-again.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import type { NotApproved } from '../person.ts';
import { priceAndApprove, type BillFacts, type BillRequest } from '../run/price.ts';
import { putOnRecord, type MoreFacts, type RecordEvent, type RecordRequest } from '../run/put-on-record.ts';
import { redrivePlanned, type RedriveEvent } from '../redrive/redrive.ts';
import type { Session } from '../session.ts';
import { decideOn, findSingle, readSingle, type SingleRecord } from './find-single.ts';

/** What is told while a job becomes a batch, or runs again. */
export type AskEvent =
  | RecordEvent
  /** It runs again: its result is waited for once more, free, or it is made anew at a price. */
  | Extract<RedriveEvent, { readonly type: 'planned' }>;

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
      return redrive(record, request);
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

async function redrive(record: SingleRecord, request: AskRequest): Promise<Asked> {
  const { batch } = record;
  const { session, job, person, confirmAbove, again, resubmit, tell } = request;
  const ledger = await session.ledger();
  // Earlier results are used as this command says, or by default, whatever an earlier one said: else `--cached-only`
  // would hold for good.
  const tuning = { ...request.tuning, cache: job.settings.cache };
  const rules: RedriveRules = { step: null, resubmit, replace: again, accept: false, asksForOverdue: false };
  const rows = chosenRows(ledger, batch.name, {});
  const plan = { draft: await draftRedrive(ledger, batch, rows, rules, tuning), rows, fileSha256: null };
  await request.ready?.();
  const terms = { tuning, out: null, confirmAbove, isMeant: true };
  const redriven = await redrivePlanned(session, batch, plan, terms, person, (event) => {
    if (event.type === 'planned') tell?.(event);
  });
  switch (redriven.type) {
    case 'refused':
    case 'declined':
      return { ...redriven, facts: { ...redriven.facts, batch: batch.name } };
    case 'open-edits':
    case 'unasked':
      throw new Error('A single job is never edited, and its words are its consent.');
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
