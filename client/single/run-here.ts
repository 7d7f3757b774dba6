import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { readSingleJob, type ReadJob, type SingleJob, type SingleOptions } from '../../batches/single/single-job.ts';
import { defined } from '../../contract/defined.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { checkDialect, checkWanted } from '../check-options.ts';
import type { FollowEvent } from '../look/follow.ts';
import { realmOf } from '../open-api.ts';
import { personOf } from '../person.ts';
import { refuseOption } from '../problem.ts';
import type { Session } from '../session.ts';
import type { Workplace } from '../work/workplace.ts';
import { askSingle, type Asked } from './ask-single.ts';
import { findSingle, readSingle, type SingleRecord } from './find-single.ts';
import { jobResult, type JobResult, type SingleAnswer, type SingleJobOptions } from './single-answer.ts';

/** Where a job is worked on. */
export interface SingleInvocation {
  readonly session: Session;
  readonly workplace: () => Promise<Workplace>;
  /** Ends the wait for jobs. */
  readonly ending: AbortSignal;
}

/** Runs a job as a batch of one row, and waits for its end. The same job again continues it, or gives its result. */
export async function runHere(
  job: SingleJob,
  options: SingleJobOptions,
  invocation: SingleInvocation,
): Promise<SingleAnswer> {
  const { session } = invocation;
  const { tuning = {}, assumeSeconds, apiDialect, again = false, resubmit = false, confirm } = options;
  checkWanted({ tuning, ...defined({ assumeSeconds }) });
  checkDialect(apiDialect);
  const { config } = session.settings;
  const read = await readHere(job, { tuning, ...defined({ assumeSeconds, apiDialect }) }, session);
  if (read.type === 'faulty') return read;
  if (read.settings.cache === 'only' && (again || resubmit))
    refuseOption(again ? 'again' : 'resubmit', 'false with the cache mode only, which sends nothing', true);
  const asked = await askSingle({
    ...{ session, job: read, tuning, again, resubmit, person: personOf(confirm) },
    ...{ confirmAbove: config.confirmAbove ?? null, probe: false },
  });
  const ended = (record: SingleRecord): JobResult => jobResult(record, session.store);
  switch (asked.type) {
    case 'faulty':
    case 'refused':
    case 'declined':
    case 'not-opened':
      return asked;
    case 'held':
      return { type: 'held', why: asked.why, job: ended(asked.record) };
    case 'given':
      return { type: 'done', job: ended(asked.record) };
    case 'open':
      return follow(asked, options, invocation);
  }
}

async function follow(
  { batch, isNew }: Extract<Asked, { readonly type: 'open' }>,
  { signal }: SingleJobOptions,
  { session, workplace, ending }: SingleInvocation,
): Promise<SingleAnswer> {
  const place = await workplace();
  const started = await place.start(batch, { isNew });
  const signals = [ending, place.fault, ...(signal === undefined ? [] : [signal])];
  const until = AbortSignal.any(signals);
  let last: FollowEvent | undefined;
  for await (const event of place.follow(started, { out: null, waitWhilePaused: false, signal: until })) last = event;
  if (place.fault.aborted) throw place.fault.reason;
  const ledger = await session.ledger();
  const record = await readSingle(ledger, (await ledger.findBatch(batch.name)) ?? batch);
  const job = jobResult(record, session.store);
  const isOver = last?.type === 'ended' && last.why === 'closed';
  return { type: !isOver ? 'open' : hasResult(record.row.outcome) ? 'done' : 'failed', job };
}

/** Reads a job as it would be sent. One on record is neither refused nor cut for its length, whatever is known of limits by now. */
async function readHere(job: SingleJob, options: SingleOptions, session: Session): Promise<ReadJob> {
  const { config } = session.settings;
  const read = await readSingleJob(job, options, config);
  if (read.type === 'sound') return read;
  const ofAnyLength = await readSingleJob(job, { ...options, anyLength: true }, config);
  if (ofAnyLength.type === 'faulty') return read;
  const { found } = await findSingle(await session.ledger(), ofAnyLength, realmOf(await session.api()));
  return found === undefined || areRowsCleaned(found.batch) ? read : ofAnyLength;
}
