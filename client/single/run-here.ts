import { spendFacts } from '../../batches/plan/bill-lines.ts';
import { withVoices } from '../../batches/voices/check-voices.ts';
import { planNew } from '../../batches/plan/plan-manifest.ts';
import type { SingleJob } from '../../batches/single/single-job.ts';
import { defined } from '../../contract/defined.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { SpendFacts } from '../../policy/money/spend.ts';
import { approve, type NotApproved } from '../run/approval.ts';
import { checkDialect, checkWanted } from '../check-options.ts';
import type { FollowEvent } from '../look/follow.ts';
import { identifyMedia } from '../cache/identify-media.ts';
import { realmOf } from '../open-api.ts';
import { payerOf, personOf } from '../person.ts';
import { redriveFacts } from '../redrive/redrive-batch.ts';
import { refuseOption } from '../refuse-option.ts';
import type { Session } from '../session.ts';
import type { Workplace } from '../work/workplace.ts';
import { askSingle, type Asked } from './ask-single.ts';
import { readSingle, type SingleRecord } from './find-single.ts';
import { readHere } from './read-here.ts';
import { jobResult, type JobResult } from './job-result.ts';
import type { SingleAnswer, SingleJobOptions } from './single-answer.ts';

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
  const person = personOf(confirm);
  let refusal: Extract<SingleAnswer, { readonly type: 'faulty' }> | NotApproved | undefined;
  const approves = async (facts: SpendFacts): Promise<boolean> => {
    refusal = await approve(facts, person);
    return refusal === undefined;
  };
  const confirmAbove = config.confirmAbove ?? null;
  const ledger = await session.ledger();
  const asked = await askSingle({
    ...{ session, job: read, tuning, again, resubmit },
    approve: async (open, voices) => {
      const known = await voices;
      if (known.type === 'faulty') {
        refusal = { type: 'faulty', problems: known.summary.problems };
        return undefined;
      }
      const { source, settings } = read;
      const checked = withVoices(read.checked, known);
      const looked = { ledger, account: realmOf(open), identify: identifyMedia };
      const { summary } = await planNew({ settings, source, checked, ...looked });
      const isFine = await approves(spendFacts(summary, settings, payerOf(person, open, confirmAbove)));
      return isFine ? { summary, options: checked.options } : undefined;
    },
    approveAgain: async (take, open) => {
      if (take.draft.paying === 0) return true;
      return approves(await redriveFacts(take, payerOf(person, open, confirmAbove)));
    },
  });
  const ended = (record: SingleRecord): JobResult => jobResult(record, session.store);
  switch (asked.type) {
    case 'declined':
      if (refusal === undefined) throw new Error('What is declined has a reason.');
      return refusal;
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
