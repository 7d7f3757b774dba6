import type { By } from '../../contract/actions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { isLinkToCell } from '../../contract/local-media.ts';
import { RESULT_FACTS } from '../../contract/operations.ts';
import {
  dialectOf,
  factsOf,
  isListed,
  makesJob,
  operationOf,
  stepsIn,
  type Operation,
  type RowSpec,
  type Step,
} from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { DecisionRecord } from '../../ledger/requests/decision-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { quoteFrom } from '../../policy/money/pricing.ts';
import { adoptableRequests } from '../../policy/reconcile/missing-requests.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { wasMadeBefore, isNewSince } from '../../policy/voices/match-lost-voice.ts';
import { areRowsCleaned } from '../clean/cleaned-rows.ts';
import type { FreeReads } from '../free-reads.ts';
import type { RowTake } from '../rows/find-rows.ts';
import {
  lastDecision,
  readTake,
  type GoesOn,
  type OtherPrice,
  type SettledRow,
  type SettleRefusal,
} from './decisions.ts';

/** A row's take and the job that a person names for it. */
export type NamedJob = RowTake & { readonly jobId: string };

type Reads = Pick<FreeReads, 'findJob' | 'listVoices' | 'listJobs'>;

/**
 * Gives a row the job that a person names: an unknown row, or one whose next request is missing from the ledger, which
 * was restored from an older backup; for a row that has ended, that is a request of its next take (a redrive). The job
 * must exist, match the row's step, and belong to no row. The row is then open again (`adopted`), and nothing is sent
 * for it in between; for an earlier take, only the charge is settled (`charged`). `by`: whose decision it is.
 */
export async function adoptJob(
  ledger: Ledger,
  reads: Reads,
  batch: BatchRecord,
  job: NamedJob,
  by: By,
): Promise<SettledRow> {
  const { row, jobId } = job;
  const { snapshot, name, attempt, take } = await readTake(ledger, batch.name, job);
  const refused = (why: SettleRefusal): SettledRow => ({ ...name, jobId, type: 'refused', why });
  // The same command was given before, and killed: it is done already.
  if (attempt === undefined && hasJob(snapshot, job)) return adopted(ledger, batch, job);
  const last = lastDecision(await ledger.decisionsOf(batch.name, row), take);
  const givenJob = last?.what === 'adopted' ? last.jobId : null;
  // If a person gave the row's present take a job before, the command means that take, unless it names the next one.
  const missing = snapshot === undefined ? [] : missingOf(batch, snapshot, givenJob === null ? job.take : take);
  const requests = attempt === undefined ? missing : [attempt];
  if (snapshot === undefined || requests.length === 0) return refused(whyNoRequest(batch, job, snapshot, last));
  if (attempt?.state === 'sending') return refused({ type: 'in-flight' });
  const { spec, outcome } = snapshot.row;
  const found = await findRequest(reads, batch, spec, requests, jobId);
  if (found.type === 'refused') return refused(found.why);
  const { request, operation, isResult, madeAtMs, credits } = found;
  const { step } = request;
  // Only the person's word ties a row without the request on record to the job.
  const isOther = attempt === undefined && (await hasOtherLinks(reads, batch, spec, operation, jobId));
  const newTake = request.take > snapshot.row.take ? request.take : undefined;
  // The cells may have been edited for a take that the ledger lacks, and that a person begins, or began, with a job.
  const mayBeEdited = newTake === undefined ? givenJob !== null && snapshot.row.take > 1 : job.take !== undefined;
  if (isOther && !mayBeEdited) return refused({ type: 'other-inputs' });
  if (attempt !== undefined && madeAtMs !== undefined && wasMadeBefore(madeAtMs, attempt))
    return refused({ type: 'made-before', madeAtMs });
  const isSettled = await ledger.decide(
    request,
    {
      type: 'adopted',
      jobId,
      ...(attempt === undefined && { isUnsent: true }),
      ...(newTake !== undefined && outcome !== null && { after: outcome }),
    },
    by,
  );
  if (!isSettled && !hasJob(await ledger.readRow(batch.name, row), job)) {
    const whyNot = { type: attempt === undefined ? 'moved-on' : 'answer-came' } as const;
    return refused((await findHolder(ledger, batch, step, jobId)) ?? whyNot);
  }
  const isNew = attempt !== undefined && isNewSince(attempt, { createdAtMs: madeAtMs });
  const details = {
    otherPrice: otherPrice(request.quoted, credits),
    isResult,
    mayBeOlder: isResult && !isNew ? (true as const) : undefined,
    goesOn: goesOn(batch, spec, step),
    newTake,
    otherInputs: isOther ? (true as const) : undefined,
  };
  return adopted(ledger, batch, job, defined(details));
}

type AdoptedRow = Extract<SettledRow, { readonly type: 'adopted' }>;

/** Returns the result for a row that has the job: the row is open again, or an earlier take was charged. */
async function adopted(
  ledger: Ledger,
  batch: BatchRecord,
  job: NamedJob,
  details: Omit<AdoptedRow, 'type' | 'row' | 'id' | 'partOf' | 'jobId'> = {},
): Promise<SettledRow> {
  const { take, jobId } = job;
  const { name, present = take } = await readTake(ledger, batch.name, job);
  const { otherPrice } = details;
  return take === undefined || take === present
    ? { ...name, jobId, type: 'adopted', ...details }
    : { ...name, jobId, type: 'charged', take, ...defined({ otherPrice }) };
}

/** Whether the take that the job is named for has this job already. */
function hasJob(snapshot: RowSnapshot | undefined, { take, jobId }: NamedJob): boolean {
  if (snapshot === undefined) return false;
  const wanted = take ?? presentTake(snapshot.row);
  return snapshot.charges.some((charge) => charge.take === wanted && charge.jobId === jobId);
}

/**
 * Returns why a row that has no request for the job cannot get it. `last`: what a person last decided about the take.
 */
function whyNoRequest(
  batch: BatchRecord,
  { take }: NamedJob,
  snapshot: RowSnapshot | undefined,
  last: DecisionRecord | undefined,
): SettleRefusal {
  if (snapshot === undefined || last?.what !== 'adopted' || last.jobId === null) return { type: 'not-in-doubt' };
  const { outcome, spec } = snapshot.row;
  const hasLaterStep = outcome === null && stepsIn(spec).at(-1) !== last.step ? (true as const) : undefined;
  return { type: 'adopted-before', jobId: last.jobId, batch: batch.name, ...defined({ take, hasLaterStep }) };
}

/** Finds the row or take that has the job already; undefined if none has. */
async function findHolder(
  ledger: Ledger,
  { apiUrl, account }: BatchRecord,
  step: Step,
  jobId: string,
): Promise<SettleRefusal | undefined> {
  const holder = await ledger.holderOfJob(apiUrl, account, step, jobId);
  if (holder === undefined) return undefined;
  const { name } = await readTake(ledger, holder.batch, holder);
  return { type: 'job-taken', by: { batch: holder.batch, ...name } };
}

/** A request that the job may belong to: one on record, or the next one, which the ledger may lack. */
type Request = AttemptKey & Pick<ChargeRecord, 'quoted'>;

/** The requests of the row that may be missing from the ledger; none if the batch has been cleaned. */
function missingOf(batch: BatchRecord, { row, charges }: RowSnapshot, take: number | undefined): Request[] {
  if (areRowsCleaned(batch)) return [];
  const { kind, spec } = row;
  return adoptableRequests(row, charges, take).map((due) => {
    return { batch: batch.name, ...due, quoted: quoteFrom(kind, due.step, spec, batch.settings).quoted };
  });
}

/** The job as the API has it, and the request that it may belong to. */
type FoundRequest = Extract<FoundJob, { readonly type: 'there' }> & {
  readonly request: Request;
  readonly operation: Operation;
  /** The job is a voice, so the row has its result with it. */
  readonly isResult: true | undefined;
};

/** Finds the request that the job may belong to, by its operation, and reads the job from the API. */
async function findRequest(
  reads: Reads,
  batch: BatchRecord,
  spec: RowSpec,
  requests: readonly Request[],
  jobId: string,
): Promise<FoundRequest | { readonly type: 'refused'; readonly why: SettleRefusal }> {
  let why: SettleRefusal = { type: 'not-in-doubt' };
  for (const [place, request] of requests.entries()) {
    const { step } = request;
    const operation = operationOf(spec, step, batch.settings.tts);
    const isResult = RESULT_FACTS[factsOf(operation).result].family === null ? (true as const) : undefined;
    const isMadeByIt = makesJob(operation) || isResult !== undefined;
    const found = isMadeByIt ? await findNamed(reads, batch, dialectOf(spec), operation, jobId) : undefined;
    if (found?.type === 'there') return { ...found, request, operation, isResult };
    // Of several requests the first is the likeliest: the refusal of that one is returned.
    if (place > 0) continue;
    if (found === undefined) why = { type: 'makes-no-job', step, kind: spec.kind };
    else if (found.type === 'missing') why = { type: 'no-such-job', step, words: found.why };
    else why = { type: 'job-unreadable', words: found.why };
  }
  return { type: 'refused', why };
}

/** What is sent for a row once it has the result of a step; undefined if that is the last step, or the batch stops. */
function goesOn({ control, settings }: BatchRecord, spec: RowSpec, step: Step): GoesOn | undefined {
  const steps = stepsIn(spec);
  const later = steps.slice(steps.indexOf(step) + 1);
  if (later.length === 0 || control === 'stopping') return undefined;
  return { steps: later, quoted: quoteFrom(spec.kind, step, spec, settings).quotedRest };
}

/** Sums that differ by less than this are equal, in credits: both may have been rounded. */
const MIN_DIFFERENCE = 0.005;

function otherPrice(quoted: number | null, charged: number | undefined): OtherPrice | undefined {
  return quoted !== null && charged !== undefined && Math.abs(quoted - charged) >= MIN_DIFFERENCE
    ? { quoted, charged }
    : undefined;
}

/** What the API says of the named job or voice. `madeAtMs`: when a voice was made, if its list says so. */
type FoundJob = Awaited<ReturnType<FreeReads['findJob']>> & { readonly madeAtMs?: number };

async function findNamed(
  reads: Reads,
  batch: BatchRecord,
  dialect: Dialect,
  operation: Operation,
  jobId: string,
): Promise<FoundJob> {
  if (makesJob(operation)) return reads.findJob(batch.name, { dialect, operation }, jobId);
  const list = await reads.listVoices(batch.name, dialect);
  if (list.type === 'unreadable') return list;
  const voice = list.voices.find(({ id }) => id === jobId);
  if (voice === undefined) return { type: 'missing', why: 'it is not in the list of voices' };
  return { type: 'there', ...defined({ madeAtMs: voice.createdAtMs }) };
}

/** Whether the API lists the job with links that are not those of the row. */
async function hasOtherLinks(
  reads: Reads,
  batch: BatchRecord,
  spec: RowSpec,
  operation: Operation,
  jobId: string,
): Promise<boolean> {
  if (!isListed(operation)) return false;
  const list = await reads.listJobs(batch.name, { dialect: dialectOf(spec), operation });
  const job = list.type === 'listed' ? list.jobs.find(({ id }) => id === jobId) : undefined;
  const isOther = (listed: string | undefined, cell: string | undefined): boolean =>
    listed !== undefined && cell !== undefined && !isLinkToCell(listed, cell);
  return isOther(job?.videoUrl, spec.video) || isOther(job?.audioUrl, spec.audio);
}
