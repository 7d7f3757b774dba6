import type { BatchRecord, ChargeRecord, DecisionRecord } from '../../ledger/record-types.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import type { RowTake } from '../rows/find-rows.ts';
import { nameOf, type NamedRow } from '../../contract/row-parts.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { defined } from '../../contract/defined.ts';
import { dialectOf, makesJob, factsOf, operationOf, stepsIn, type Kind, type Step } from '../../contract/row-kinds.ts';
import type { FreeReads } from '../free-reads.ts';
import { isBefore, isNewSince } from '../../policy/voices/match-lost-voice.ts';
import type { Made } from '../look/leftovers.ts';

/** Why a row was not changed. `words`: the API's or the ledger's own. */
export type SettleRefusal =
  /** A person gave the row another job, which has to be taken back first. */
  | { readonly type: 'adopted-before'; readonly jobId: string; readonly batch: string; readonly take?: number }
  /** Neither the row nor the named take has a request with an unknown outcome. */
  | { readonly type: 'not-in-doubt' | 'take-not-in-doubt' }
  /** Its request has no answer yet. */
  | { readonly type: 'in-flight' }
  /** Such a request creates no job, so the row cannot get one. */
  | { readonly type: 'makes-no-job'; readonly step: Step; readonly kind: Kind }
  | { readonly type: 'no-such-job'; readonly step: Step; readonly words: string }
  | { readonly type: 'job-unreadable'; readonly words: string }
  /** Another row has the job, or another take of this row. */
  | { readonly type: 'job-taken'; readonly by: NamedRow & { readonly batch: string } }
  /** The voice was made before the row's request, so another one made it. `madeAtMs`: by the API's clock. */
  | { readonly type: 'made-before'; readonly madeAtMs: number }
  /** The answer to its request arrived meanwhile. */
  | { readonly type: 'answer-came' }
  /** Only an earlier take can be marked as not charged. */
  | { readonly type: 'current-take' }
  /** No person decided anything about it that could be taken back. */
  | { readonly type: 'not-adopted' }
  | { readonly type: 'job-used'; readonly words: string };

/** The named job did not cost what its row was quoted (in credits), so it may belong to another row. */
export interface OtherPrice {
  readonly quoted: number;
  readonly charged: number;
}

/** What became of a row to settle. `jobId`: the job that it has or should have got. */
export type SettledRow = NamedRow & { readonly jobId: string | null } & (
    | { readonly type: 'found' | 'moved-on' | 'released' }
    /**
     * `isResult`: it is a voice, so the row has its result. `mayBeOlder`: a voice of its name was there before the
     * request, and nothing tells whether it is this one.
     */
    | {
        readonly type: 'adopted';
        readonly otherPrice?: OtherPrice;
        readonly isResult?: true;
        readonly mayBeOlder?: true;
      }
    /** For an earlier take whose charge is certain now. */
    | { readonly type: 'charged'; readonly take: number; readonly otherPrice?: OtherPrice }
    /** `doubted`: an earlier take that was settled as not charged is unknown again. */
    | { readonly type: 'not-charged' | 'doubted'; readonly take: number }
    /**
     * `hasList`: the API lists such jobs. `makes`: what such a request makes, which a person may name.
     * `lacksOnlyCheck`: its result is stored and paid for, and only the answer of its verification is lost. `answer`: what
     * its answer said, if that named a job of another row.
     */
    | {
        readonly type: 'still-unknown';
        readonly hasList: boolean;
        readonly makes: Made;
        readonly lacksOnlyCheck?: true;
        readonly answer?: string;
      }
    /** The API's list could not be read, so nothing is known. */
    | { readonly type: 'unreadable'; readonly why: string }
    | { readonly type: 'refused'; readonly why: SettleRefusal }
  );

/** What a person last decided about the request of a take: which result of the row is its own says nothing about that. */
export function lastDecision(
  decisions: readonly DecisionRecord[],
  take: number | undefined,
): DecisionRecord | undefined {
  return decisions.findLast((one) => one.take === take && one.what !== 'went-back');
}

/** The request of a take that has no answer or an unknown outcome. Default: the row's present take. */
export async function findUnresolved(
  ledger: Ledger,
  batch: string,
  row: number,
  wanted?: number,
): Promise<ChargeRecord | undefined> {
  const found = await ledger.readRow(batch, row);
  // The requests of a row in parts are those of its parts.
  if (found === undefined || found.row.parts !== null) return undefined;
  const steps = stepsIn(found.row.spec);
  const take = wanted ?? presentTake(found.row);
  const unresolved = found.charges.filter(
    (one) => one.take === take && (one.state === 'unknown' || one.state === 'sending'),
  );
  // A later step is sent only after the step before it is settled.
  return unresolved.findLast(({ step }) => steps.includes(step));
}

/** Takes back the job that a person gave to a row, or that its request was not charged. `who`: user and host, for the record. Free and repeatable. */
export async function releaseTake(
  ledger: Ledger,
  batch: string,
  { row, take }: RowTake,
  who: string,
): Promise<SettledRow> {
  const found = await ledger.readRow(batch, row);
  const last = lastDecision(await ledger.decisionsOf(batch, row), take ?? (found && presentTake(found.row)));
  const facts = { ...(found === undefined ? { row, id: '' } : nameOf(found.row)), jobId: last?.jobId ?? null };
  const why = last?.what === 'released' ? undefined : await tryReleasing(ledger, last, who);
  if (why !== undefined) return { ...facts, jobId: null, type: 'refused', why };
  return last?.jobId === null ? { ...facts, type: 'doubted', take: last.take } : { ...facts, type: 'released' };
}

/** Undefined if the decision was taken back. */
async function tryReleasing(
  ledger: Ledger,
  last: DecisionRecord | undefined,
  who: string,
): Promise<SettleRefusal | undefined> {
  if (last?.what !== 'adopted' && last?.what !== 'not-charged') return { type: 'not-adopted' };
  try {
    const isReleased = await ledger.decide(last, { type: 'released', jobId: last.jobId, who });
    return isReleased ? undefined : { type: 'not-adopted' };
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
    return { type: 'job-used', words: error.message };
  }
}

/**
 * Settles the request of an earlier take as not charged, because a person checked the account. `who`: user and host,
 * for the record. The row stays as it is.
 */
export async function settleNotCharged(
  ledger: Ledger,
  batch: string,
  { row, take }: RowTake,
  who: string,
): Promise<SettledRow> {
  const found = await ledger.readRow(batch, row);
  const facts = { ...(found === undefined ? { row, id: '' } : nameOf(found.row)), jobId: null };
  const refused = (type: 'take-not-in-doubt' | 'current-take' | 'answer-came'): SettledRow => {
    return { ...facts, type: 'refused', why: { type } };
  };
  const attempt = await findUnresolved(ledger, batch, row, take);
  if (attempt?.state !== 'unknown') return refused('take-not-in-doubt');
  if (found !== undefined && attempt.take === presentTake(found.row)) return refused('current-take');
  const isSettled = await ledger.decide(attempt, { type: 'not-charged', who });
  return isSettled ? { ...facts, type: 'not-charged', take: attempt.take } : refused('answer-came');
}

/** A row's take and the job that a person names for it. */
export type NamedJob = RowTake & { readonly jobId: string };

type BatchOfJob = BatchRecord;

/**
 * Gives an unknown row the job that a person names. The job must exist, match the row's step, and belong to no row. The
 * row is then open again (`adopted`); for an earlier take, only the charge is settled (`charged`). `who`: user and
 * host, for the record.
 */
export async function adoptJob(
  ledger: Ledger,
  reads: Pick<FreeReads, 'findJob' | 'listVoices'>,
  batch: BatchOfJob,
  job: NamedJob,
  who: string,
): Promise<SettledRow> {
  const { row, take, jobId } = job;
  const found = (await ledger.readRow(batch.name, row))?.row;
  const facts = { ...(found === undefined ? { row, id: '' } : nameOf(found)), jobId };
  const end = await tryAdopting(ledger, reads, batch, job, who);
  if (end.type !== 'done') return { ...facts, type: 'refused', why: end };
  const price = end.otherPrice === undefined ? {} : { otherPrice: end.otherPrice };
  const present = await ledger.readRow(batch.name, row);
  return take !== undefined && present !== undefined && take !== presentTake(present.row)
    ? { ...facts, type: 'charged', take, ...price }
    : { ...facts, type: 'adopted', ...price, ...defined({ isResult: end.isResult, mayBeOlder: end.mayBeOlder }) };
}

/** The row now has the job. */
interface Done {
  readonly type: 'done';
  /** What was named is the result itself: a voice. */
  readonly isResult?: true;
  readonly otherPrice?: OtherPrice;
  /** See {@link SettledRow}. */
  readonly mayBeOlder?: true;
}

async function tryAdopting(
  ledger: Ledger,
  reads: Pick<FreeReads, 'findJob' | 'listVoices'>,
  batch: BatchOfJob,
  job: NamedJob,
  who: string,
): Promise<Done | SettleRefusal> {
  const { row, take, jobId } = job;
  const attempt = await findUnresolved(ledger, batch.name, row, take);
  if (attempt === undefined) {
    // The same command again, as after a kill: already done.
    if (await hasJob(ledger, batch.name, job)) return { type: 'done' };
    const before = await adoptedBefore(ledger, batch.name, job);
    return before === undefined
      ? { type: 'not-in-doubt' }
      : { type: 'adopted-before', jobId: before, batch: batch.name, ...defined({ take }) };
  }
  if (attempt.state === 'sending') return { type: 'in-flight' };
  const { step } = attempt;
  const spec = (await ledger.readRow(batch.name, row))?.row.spec;
  if (spec === undefined) return { type: 'not-in-doubt' };
  const { kind } = spec;
  const operation = operationOf(spec, step, batch.settings.tts);
  const isResult = factsOf(operation).result === 'voice' ? (true as const) : undefined;
  if (!makesJob(operation) && isResult === undefined) return { type: 'makes-no-job', step, kind };
  const dialect = dialectOf(spec);
  const found: FoundJob = makesJob(operation)
    ? await reads.findJob(batch.name, { dialect, operation }, jobId)
    : await findVoice(reads, batch, dialect, jobId);
  if (found.type === 'missing') return { type: 'no-such-job', step, words: found.why };
  if (found.type === 'unreadable') return { type: 'job-unreadable', words: found.why };
  const { madeAtMs } = found;
  if (madeAtMs !== undefined && isBefore(madeAtMs, attempt)) return { type: 'made-before', madeAtMs };
  const mayBeOlder = isResult && !isNewSince(attempt, { createdAtMs: madeAtMs }) ? (true as const) : undefined;
  const isSettled = await ledger.decide(attempt, { type: 'adopted', jobId, who });
  if (isSettled || (await hasJob(ledger, batch.name, job)))
    return { type: 'done', ...pricesOf(attempt.quoted, found.credits), ...defined({ isResult, mayBeOlder }) };
  const by = await ledger.holderOfJob(batch.apiUrl, batch.account, step, jobId);
  if (by === undefined) return { type: 'answer-came' };
  const holder = (await ledger.readRow(by.batch, by.row))?.row;
  return {
    type: 'job-taken',
    by: { batch: by.batch, ...(holder === undefined ? { row: by.row, id: '' } : nameOf(holder)) },
  };
}

/** What the API says of what a person names. `madeAtMs`: when a voice was made, if its list says so. */
type FoundJob = Awaited<ReturnType<FreeReads['findJob']>> & { readonly madeAtMs?: number };

/** The same for a voice, as far as the list has it. */
async function findVoice(
  reads: Pick<FreeReads, 'listVoices'>,
  batch: BatchOfJob,
  dialect: Dialect,
  voiceId: string,
): Promise<FoundJob> {
  const list = await reads.listVoices(batch.name, dialect);
  if (list.type === 'unreadable') return list;
  const voice = list.voices.find(({ id }) => id === voiceId);
  if (voice === undefined) return { type: 'missing', why: 'it is not in the list of voices' };
  return { type: 'there', ...defined({ madeAtMs: voice.createdAtMs }) };
}

/** Sums that differ by less than this are equal, in credits: both may have been rounded. */
const SAME = 0.005;

function pricesOf(quoted: number | null, charged: number | undefined): Pick<Done, 'otherPrice'> {
  if (quoted === null || charged === undefined || Math.abs(quoted - charged) < SAME) return {};
  return { otherPrice: { quoted, charged } };
}

/** The job that a person gave the take, by default the row's present one. */
async function adoptedBefore(ledger: Ledger, batch: string, { row, take }: NamedJob): Promise<string | undefined> {
  const found = await ledger.readRow(batch, row);
  const wanted = take ?? (found && presentTake(found.row));
  const last = lastDecision(await ledger.decisionsOf(batch, row), wanted);
  return last?.what === 'adopted' ? (last.jobId ?? undefined) : undefined;
}

/** True if the take, by default the row's present one, has this job. */
async function hasJob(ledger: Ledger, batch: string, { row, take, jobId }: NamedJob): Promise<boolean> {
  const found = await ledger.readRow(batch, row);
  return found?.charges.some((one) => one.take === (take ?? presentTake(found.row)) && one.jobId === jobId) ?? false;
}
