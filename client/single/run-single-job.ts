import type { SingleJob } from '../../batches/single/single-job.ts';
import { defined } from '../../contract/defined.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { checkDialect, checkWanted } from '../check-options.ts';
import type { FollowEvent } from '../status/follow.ts';
import { personOf } from '../person.ts';
import { refuseOption } from '../problem.ts';
import { apiUrlOf } from '../run/check-run.ts';
import type { Session } from '../session.ts';
import type { BatchRunner } from '../work/batch-runner.ts';
import { requestSingle, type SingleRequested } from './request-single.ts';
import { prepareSingle, readSingle, type SingleRecord } from './find-single.ts';
import { jobResult, type SingleAnswer, type SingleJobOptions } from './single-answer.ts';

/** Why an ended job runs again only with an explicit option. */
type Held = Extract<SingleAnswer, { readonly type: 'held' }>['why'];

/** Dependencies of {@link runSingleJob}. */
export interface SingleInvocation {
  readonly session: Session;
  /** Opens the runner of batches on first use. */
  readonly runner: () => Promise<BatchRunner>;
  /** Ends the wait for jobs. */
  readonly ending: AbortSignal;
}

/** Runs a job as a batch of one row and waits for its end. Repeating it continues the job or returns its result. */
export async function runSingleJob(
  job: SingleJob,
  options: SingleJobOptions,
  invocation: SingleInvocation,
): Promise<SingleAnswer> {
  const { session } = invocation;
  const { tuning = {}, assumeSeconds, apiDialect, again = false, resubmit = false, confirm } = options;
  checkWanted({ tuning, ...defined({ assumeSeconds }) });
  checkDialect(apiDialect);
  const { config } = session.settings;
  if ((tuning.cache ?? config.cache) === 'only' && (again || resubmit))
    refuseOption(again ? 'again' : 'resubmit', 'false with the cache mode only, which sends nothing', true);
  const wanted = { again, resubmit, options: { tuning, ...defined({ assumeSeconds, apiDialect }) } };
  const [ledger, apiUrl] = [await session.ledger(), await apiUrlOf(session)];
  const prepared = await prepareSingle({ job, settings: session.settings, apiUrl, ledger, ...wanted });
  if (prepared.type === 'faulty') return prepared;
  const ended = (record: SingleRecord, why?: Held): SingleAnswer => {
    const result = jobResult(record, session.store);
    return why === undefined ? { type: 'done', job: result } : { type: 'held', why, job: result };
  };
  if (prepared.type === 'ended') return ended(prepared.record, prepared.held);
  const requested = await requestSingle({
    ...{ session, job: prepared.job, tuning, again, resubmit, person: personOf(confirm) },
    ...{ confirmAbove: config.confirmAbove ?? null, probe: false },
  });
  switch (requested.type) {
    case 'faulty':
    case 'refused':
    case 'declined':
    case 'not-opened':
      return requested;
    case 'held':
      return ended(requested.record, requested.why);
    case 'given':
      return ended(requested.record);
    case 'open':
      return follow(requested, options, invocation);
  }
}

/** Waits for an open job's end. */
async function follow(
  { batch, isNew }: Extract<SingleRequested, { readonly type: 'open' }>,
  { signal }: SingleJobOptions,
  { session, runner, ending }: SingleInvocation,
): Promise<SingleAnswer> {
  const batchRunner = await runner();
  const started = await batchRunner.start(batch, { isNew });
  const signals = [ending, batchRunner.fault, ...(signal === undefined ? [] : [signal])];
  const until = AbortSignal.any(signals);
  let last: FollowEvent | undefined;
  for await (const event of batchRunner.follow(started, { out: null, waitWhilePaused: false, signal: until }))
    last = event;
  if (batchRunner.fault.aborted) throw batchRunner.fault.reason;
  const ledger = await session.ledger();
  const record = await readSingle(ledger, (await ledger.findBatch(batch.name)) ?? batch);
  const job = jobResult(record, session.store);
  const isOver = last?.type === 'ended' && last.why === 'closed';
  return { type: !isOver ? 'open' : hasResult(record.row.outcome) ? 'done' : 'failed', job };
}
