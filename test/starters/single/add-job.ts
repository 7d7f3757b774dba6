import { connectApi, realmOf } from '../../../client/connect-api.ts';
import { findOrLoadBatch } from '../../../batches/load-batch.ts';
import { readSingleJob, singleName, type SingleJob } from '../../../batches/single/single-job.ts';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Dialect } from '../../../contract/dialects.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import type { Outcome } from '../../../contract/outcomes.ts';
import type { Simulator } from '../../../simulator/start-simulator.ts';
import type { Place } from '../../support/place.ts';
import { stepsIn } from '../../../contract/row-kinds.ts';
import { ANN } from '../../support/ann.ts';

/** A way for a job to end. */
export interface JobEnd {
  readonly file?: ResultFile;
  readonly extraFiles?: readonly ResultFile[];
  readonly text?: string;
  /** The id of the voice that it made. */
  readonly voice?: string;
  /** The dialect of the API that it used. Default `v1`. */
  readonly apiDialect?: Dialect;
  /**
   * Default `succeeded`. `unknown`: its answer was lost. `failed`: its job failed after it was charged. `refused`: the API did
   * not take it. `skipped`: only an earlier result was to be used, and there was none.
   */
  readonly as?: Extract<Outcome, 'succeeded' | 'unknown' | 'failed' | 'skipped'> | 'refused';
  /** The API did not say what it charged, so that the quote counts. */
  readonly isQuoted?: boolean;
  /** The answer to a request of an earlier take was lost. */
  readonly lostBefore?: boolean;
}

/** Puts a finished job of the simulator's account on record, as a command would have left it. Returns the name of its batch. */
export async function addJob(
  { url: baseUrl, token }: Simulator,
  { ledger }: Place,
  job: SingleJob,
  {
    file,
    extraFiles = [],
    text,
    voice,
    as = 'succeeded',
    isQuoted = false,
    lostBefore = false,
    apiDialect = 'v1',
  }: JobEnd,
): Promise<string> {
  const open = await connectApi({ baseUrl, token });
  open.api.close();
  const tuning = as === 'skipped' ? ({ cache: 'only' } as const) : {};
  const read = await readSingleJob(job, { tuning }, { apiDialect });
  if (read.type !== 'sound') throw new Error('The job is faulty.');
  const { source, checked, settings } = read;
  const { summary, options } = checked;
  const name = singleName(read, realmOf(open));
  const identity = { name, digest: summary.digest ?? '', ...realmOf(open) };
  const given = { givesReading: false, givesTemplate: false, by: ANN };
  await findOrLoadBatch({ ledger, source, options, identity, settings, checked: summary, ...given });
  const [step = 'speech'] = stepsIn({ kind: job.kind });
  const first: AttemptKey = { batch: name, row: 1, step, take: 1, attempt: 1 };
  const intent = { quoted: 7, quotedRest: 0, owner: 'w', maxSending: 8 };
  const failure = { class: 'BadRequest', message: 'No such voice. (nothing was charged)' } as const;
  const lost = { class: 'OutcomeUnknown', message: 'The answer was lost.' } as const;
  const broken = { class: 'JobFailed', message: 'The engine gave up.' } as const;
  const notCached = { class: 'NotCached', message: 'No earlier result fits.' } as const;
  const lose = (key: AttemptKey): Promise<unknown> =>
    ledger.settle(key, { verdict: 'unknown', failure: lost }, { outcome: 'unknown', failure: lost });
  if (lostBefore) {
    await ledger.intend(first, intent);
    await lose(first);
    const how = { type: 'pay', fromStep: step, reason: 'resubmitted' } as const;
    await ledger.redrive(name, [{ row: 1, take: 1, outcome: 'unknown', how }]);
  }
  const key = lostBefore ? { ...first, take: 2 } : first;
  if (as === 'skipped') await ledger.giveUp(key, { outcome: 'skipped', failure: notCached });
  else await ledger.intend(key, intent);
  const paid = isQuoted ? {} : { credits: 7 };
  if (as === 'refused') await ledger.settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
  else if (as === 'unknown') await lose(key);
  else if (voice !== undefined)
    await ledger.settle(key, { verdict: 'done', jobId: voice, ...paid }, { outcome: 'succeeded', text: voice });
  else if (text !== undefined && file !== undefined)
    await ledger.settle(key, { verdict: 'done', file, ...paid }, { outcome: 'succeeded', file, extraFiles, text });
  else if (as !== 'skipped') {
    await ledger.settle(key, { verdict: 'accepted', jobId: 'job-1', ...paid }, { state: 'processing' });
    if (as === 'failed') await ledger.finishJob(key, { failure: broken }, { outcome: 'failed', failure: broken });
    else if (file !== undefined) await ledger.finishJob(key, { file }, { outcome: 'succeeded', file, extraFiles });
  }
  await ledger.closeBatch(name);
  return name;
}
