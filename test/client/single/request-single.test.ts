import { describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSingleJob, type SingleJob } from '../../../batches/single/single-job.ts';
import { Session } from '../../../client/session.ts';
import { requestSingle, type SingleRequested } from '../../../client/single/request-single.ts';
import { settingsOf } from '../../../client/read-options.ts';
import { batchFolder } from '../../../contract/batch-name.ts';
import type { Tuning } from '../../../contract/tunables.ts';
import { addJob } from '../../starters/single/add-job.ts';
import { placeAtSimulator } from '../../starters/command-line.ts';
import { ANN } from '../../support/ann.ts';

const world = placeAtSimulator();
const { place } = world;
const SAY: SingleJob = { command: 'say', kind: 'tts', cells: { text: 'Good morning.', voice: 'anna' } };

/**
 * Asks for the job as a command with this tuning does. `approves`: what is said to a price; default: nothing may be
 * asked.
 */
async function ask(tuning: Tuning, approves?: boolean): Promise<SingleRequested> {
  const { url: baseUrl, token } = world.simulator;
  const settings = settingsOf({ home: place.folder });
  const access = { baseUrl, token };
  const session = new Session({ settings, access: () => access, ledger: { mustExist: true, thread: false } });
  try {
    const job = await readSingleJob(SAY, { tuning }, {});
    if (job.type !== 'sound') throw new Error('The job is faulty.');
    const confirm = (): boolean => {
      if (approves === undefined) throw new Error('The price is approved.');
      return approves;
    };
    const person = { yes: false, canAsk: true, confirm };
    return await requestSingle({
      ...{ session, job, tuning, again: false, resubmit: false, person },
      ...{ confirmAbove: 0, probe: false },
    });
  } finally {
    await session.close();
  }
}

it.each([
  { tuning: {}, cache: 'on' },
  { tuning: { cache: 'only' }, cache: 'only' },
  { tuning: { cache: 'fresh' }, cache: 'fresh' },
] as const)(
  'a single job that --cache only left unsent runs again as the next command says: $tuning',
  async ({ tuning, cache }) => {
    await addJob(world.simulator, place, SAY, { as: 'skipped' });
    expect(await ask(tuning, true)).toMatchObject({ type: 'open', batch: { state: 'open', settings: { cache } } });
  },
);

describe('a single job whose command was killed before a worker looked at it', () => {
  const cache = async (): Promise<string> =>
    (await place.ledger.listBatches()).map(({ settings }) => settings.cache).join();

  it('and was to pay for nothing goes on as that, and is paid for only once its price is approved', async () => {
    await ask({ cache: 'only' }, true);
    expect(await ask({ cache: 'only' })).toMatchObject({ type: 'open', isNew: false });
    expect(await ask({}, false)).toMatchObject({ type: 'declined' });
    expect(await cache()).toBe('only');
    expect(await ask({}, true)).toMatchObject({ type: 'open', isNew: false, batch: { settings: { cache: 'on' } } });
  });

  it('and was to pay for nothing is not paid for where the store has its result, whose request a restored ledger lacks', async () => {
    await ask({ cache: 'only' }, true);
    const { ledger } = place;
    const name = (await ledger.listBatches()).map((batch) => batch.name).join();
    await ledger.acceptCopy(ANN);
    await ledger.clearDoubts(ANN);
    const lost = join(settingsOf({ home: place.folder }).store, batchFolder(name, '0123456789'), '0000');
    await mkdir(lost, { recursive: true });
    await writeFile(join(lost, '1-speech-1.mp3'), 'sound');
    await expect(ask({}, true)).rejects.toMatchObject({ problem: { type: 'forgotten-batch', batch: name } });
    expect(await cache()).toBe('only');
  });

  it('and may be paid for goes on as approved, and not at all with --cache only', async () => {
    await ask({ cache: 'fresh' }, true);
    expect(await ask({ cache: 'only' })).toMatchObject({
      type: 'not-opened',
      why: expect.stringContaining('--cache only'),
    });
    expect(await ask({ cache: 'on' })).toMatchObject({ type: 'open', batch: { settings: { cache: 'fresh' } } });
    expect(await cache()).toBe('fresh');
  });
});
