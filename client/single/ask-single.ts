import type { RedriveDraft, RedriveRules } from '../../batches/redrive-draft.ts';
import { areRowsCleaned } from '../../batches/clean-batch.ts';
import { chosenRows } from '../../batches/choose-rows.ts';
import { draftRedrive } from '../../batches/redrive.ts';
import { isSameJob, type SoundJob } from '../../batches/single-job.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { decideAgain, decideCleaned, type AgainWish, type SameAgain } from '../../policy/same-again.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import { putOnRecord, type RecordRequest } from '../put-on-record.ts';
import { redriveBatch, type RedriveRequest } from '../redrive-batch.ts';
import type { Session } from '../session.ts';
import { findSingle, readSingle, type SingleRecord } from './find-single.ts';

/** A further take of a job, whose price is not approved yet. */
export type FurtherTake = Pick<RedriveRequest, 'batch' | 'draft' | 'tuning' | 'ledger'>;

/** A single job, and who approves what it costs. */
export interface AskRequest extends AgainWish {
  readonly session: Session;
  readonly job: SoundJob;
  /** Changes of its limits and policies; they apply to a job on record too. */
  readonly tuning: Tuning;
  /** Prices a new job and says whether it may be paid for. Undefined: it may not. */
  readonly approve: RecordRequest['approve'];
  /** Says whether a job on record may be run again at its price. */
  readonly approveAgain: (take: FurtherTake, open: OpenApi) => Promise<boolean>;
}

/**
 * What became of a job. `open`: somebody has to work on its batch. `given`: it has its result, and nothing is sent.
 * `held`: it runs again only with a further word (see {@link decideAgain}). `declined`: it may not be paid for. `not-opened`:
 * the ledger refused, in its own words.
 */
export type Asked =
  | { readonly type: 'open'; readonly batch: BatchRecord; readonly isNew: boolean }
  | { readonly type: 'given'; readonly record: SingleRecord }
  | {
      readonly type: 'held';
      readonly why: Extract<SameAgain, { readonly type: 'hold' }>['why'];
      readonly record: SingleRecord;
    }
  | { readonly type: 'declined' }
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
      tuning: tuningOf(request),
    },
    approve: request.approve,
    approveMore: () => Promise.resolve(true),
  });
  switch (recorded.type) {
    case 'declined':
      return recorded;
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

/**
 * What changes with this command. Earlier results are used as it says, or by default, whatever an earlier one said: else
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
  const { batch } = record;
  const decided = decideOn(record, request);
  switch (decided.type) {
    case 'give':
      return { type: 'given', record };
    case 'go-on':
      return { type: 'open', batch, isNew: false };
    case 'hold':
      return { type: 'held', why: decided.why, record };
    case 'redrive':
      return redrive(record, request, open);
  }
}

async function redrive(record: SingleRecord, request: AskRequest, open: OpenApi): Promise<Asked> {
  const { batch } = record;
  const { session, again, resubmit } = request;
  const tuning = tuningOf(request);
  const ledger = await session.ledger();
  const rules: RedriveRules = { step: null, resubmit, replace: again, accept: false, asksForOverdue: false };
  const rows = chosenRows(ledger, batch.name, {});
  const draft: RedriveDraft = await draftRedrive(ledger, batch, rows, rules, tuning);
  const take = { ledger, batch, draft, tuning };
  const redriven = await redriveBatch({
    ...take,
    rows,
    fileSha256: null,
    out: null,
    openApi: () => Promise.resolve(open),
    approve: () => request.approveAgain(take, open),
  });
  switch (redriven.type) {
    case 'declined':
      return redriven;
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
