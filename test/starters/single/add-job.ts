import { openApi, realmOf } from '../../../client/open-api.ts';
import { findOrLoadBatch } from '../../../batches/load-batch.ts';
import { readSingleJob, singleName, type SingleJob } from '../../../batches/single-job.ts';
import type { Dialect } from '../../../contract/dialects.ts';
import type { ResultFile } from '../../../ledger/record-types.ts';
import type { Outcome } from '../../../contract/outcomes.ts';
import type { Simulator } from '../../../simulator/start-simulator.ts';
import type { Place } from '../../support/place.ts';
import { stepsIn } from '../../../contract/row-kinds.ts';

/** A way for a job to end. */
export interface JobEnd {
  readonly file?: ResultFile;
  readonly extraFiles?: readonly ResultFile[];
  readonly text?: string;
  /** The id of the voice that it made. */
  readonly voice?: string;
  /** The dialect of the API that it used. Default `v1`. */
  readonly apiDialect?: Dialect;
  /** Default `succeeded`. `unknown`: its answer was lost. `failed`: its job failed after it was charged. `refused`: the API did not take it. */
  readonly as?: Extract<Outcome, 'succeeded' | 'unknown' | 'failed'> | 'refused';
}

/** Puts a finished job of the simulator's account on record, as a command would have left it. Returns the name of its batch. */
export async function addJob(
  { url: baseUrl, token }: Simulator,
  { ledger }: Place,
  job: SingleJob,
  { file, extraFiles = [], text, voice, as = 'succeeded', apiDialect = 'v1' }: JobEnd,
): Promise<string> {
  const open = await openApi({ baseUrl, token });
  open.api.close();
  const read = await readSingleJob(job, {}, { apiDialect });
  if (read.type !== 'sound') throw new Error('The job is faulty.');
  const { source, checked, settings } = read;
  const { summary, options } = checked;
  const name = singleName(read, realmOf(open));
  const identity = { name, digest: summary.digest ?? '', ...realmOf(open) };
  const given = { givesReading: false, givesTemplate: false };
  await findOrLoadBatch({ ledger, source, options, identity, settings, checked: summary, ...given });
  const [step = 'speech'] = stepsIn({ kind: job.kind });
  const key = { batch: name, row: 1, step, take: 1, attempt: 1 };
  await ledger.intend(key, { quoted: 7, quotedRest: 0, owner: 'w', maxSending: 8 });
  const failure = { class: 'BadRequest', message: 'No such voice.' } as const;
  const lost = { class: 'OutcomeUnknown', message: 'The answer was lost.' } as const;
  const broken = { class: 'JobFailed', message: 'The engine gave up.' } as const;
  if (as === 'refused') await ledger.settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
  else if (as === 'unknown')
    await ledger.settle(key, { verdict: 'unknown', failure: lost }, { outcome: 'unknown', failure: lost });
  else if (voice !== undefined) {
    const made = { verdict: 'done', jobId: voice, credits: 7 } as const;
    await ledger.settle(key, made, { outcome: 'succeeded', text: voice });
  } else {
    await ledger.settle(key, { verdict: 'accepted', jobId: 'job-1', credits: 7 }, { state: 'processing' });
    if (as === 'failed') await ledger.finishJob(key, { failure: broken }, { outcome: 'failed', failure: broken });
    else if (file !== undefined)
      await ledger.finishJob(
        key,
        { file },
        { outcome: 'succeeded', file, extraFiles, ...(text === undefined ? {} : { text }) },
      );
  }
  await ledger.closeBatch(name);
  return name;
}
