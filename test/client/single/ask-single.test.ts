import { describe, expect, it } from '@jest/globals';
import { readSingleJob, type SingleJob } from '../../../batches/single-job.ts';
import { Session } from '../../../client/session.ts';
import { askSingle, type Asked } from '../../../client/single/ask-single.ts';
import { placesIn } from '../../../client/settings.ts';
import type { Tuning } from '../../../contract/tunables.ts';
import { addJob } from '../../starters/single/add-job.ts';
import { placeAtSimulator } from '../../starters/place-for-each.ts';

const invocation = placeAtSimulator();
const SAY: SingleJob = { command: 'say', kind: 'tts', cells: { text: 'Good morning.', voice: 'anna' } };

/** Asks for the job as a command with this tuning does. */
async function ask(tuning: Tuning): Promise<Asked> {
  const { url: baseUrl, token } = invocation.simulator;
  const places = placesIn(invocation.place.folder, {}, () => {
    throw new Error('The places are sound.');
  });
  const settings = { ...places, config: {}, cluster: undefined, env: process.env };
  const access = { baseUrl, token };
  const session = new Session({ settings, access: () => access, ledger: { mustExist: true, thread: false } });
  try {
    const job = await readSingleJob(SAY, { tuning }, {});
    if (job.type !== 'sound') throw new Error('The job is faulty.');
    return await askSingle({
      ...{ session, job, tuning, again: false, resubmit: false },
      approve: () => Promise.reject(new Error('The job is on record.')),
      approveAgain: () => Promise.resolve(true),
    });
  } finally {
    await session.close();
  }
}

describe('a single job that --cached-only left unsent', () => {
  it.each([
    { tuning: {}, cache: 'on' },
    { tuning: { cache: 'only' }, cache: 'only' },
    { tuning: { cache: 'fresh' }, cache: 'fresh' },
  ] as const)('runs again as the next command says: $tuning', async ({ tuning, cache }) => {
    await addJob(invocation.simulator, invocation.place, SAY, { as: 'skipped' });
    expect(await ask(tuning)).toMatchObject({ type: 'open', batch: { state: 'open', settings: { cache } } });
  });
});
