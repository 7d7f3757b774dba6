import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { limiterScope } from '../../../contract/names.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { findStandstill } from '../../../batches/status/standstill.ts';
import { viewBatch } from '../../../batches/status/view-batch.ts';
import { toJsonLog } from '../../../starters/terminal/json-log.ts';
import { pauseMessageFor, standstillWords } from '../../../starters/terminal/pause-words.ts';
import { freshPlace } from '../../support/place.ts';
import { capture } from '../capture.ts';
import { find, STATES } from '../reached-states.ts';

const place = freshPlace();

const standstill = async (): Promise<unknown> =>
  (await findStandstill(place.ledger, await find(place.ledger))).standstill;

async function aWorker(): Promise<void> {
  const { apiUrl, account } = await find(place.ledger);
  await place.ledger.beat({ owner: 'w1', apiUrl, account });
}

/** Notes what became of requests of this kind. */
async function note(what: string, event: Parameters<Ledger['updateLimiter']>[1]): Promise<void> {
  await place.ledger.updateLimiter(limiterScope({ realm: await find(place.ledger) }, what), event);
}

it('says in a log in JSON why a batch paused by the class alone, for the API may have repeated a text', async () => {
  await STATES.untouched(place.ledger);
  const failure = { class: 'OutOfCredits', message: 'no credits for: Rhubarb', status: 402 } as const;
  await place.ledger.setControl('b', 'paused', failure);
  const batch = await find(place.ledger);
  const output = capture({ out: '', err: '' });
  const about = { isDeserted: false };
  expect(pauseMessageFor(output, batch, about)).toContain('out of credits (no credits for: Rhubarb)');
  expect(pauseMessageFor(toJsonLog(output, false), batch, about)).toContain('out of credits (OutOfCredits, 402)');
});

describe('why a batch stands still', () => {
  beforeEach(() => STATES.untouched(place.ledger));

  it('is that no worker lives, unless the batch is paused or finished', async () => {
    const { ledger } = place;
    expect(await standstill()).toBe('no-worker');
    await ledger.setControl('b', 'paused');
    expect(await standstill()).toBeUndefined();
    await ledger.setControl('b', 'running');
    await aWorker();
    expect(await standstill()).toBeUndefined();
    await ledger.stopNow('b');
    await ledger.closeBatch('b');
    await ledger.forgetWorkers('all');
    expect(await standstill()).toBeUndefined();
  });

  it('is that all workers do one part of the work, unless the batch is paused', async () => {
    const { ledger } = place;
    const { apiUrl, account } = await find(ledger);
    await ledger.beat({ owner: 'submits', apiUrl, account, only: 'submit' });
    expect(await standstill()).toBe('no-downloader');
    await ledger.setControl('b', 'paused');
    expect(await standstill()).toBeUndefined();
    await ledger.setControl('b', 'running');
    await ledger.beat({ owner: 'downloads', apiUrl, account, only: 'download' });
    expect(await standstill()).toBeUndefined();
    await ledger.forgetWorkers({ owner: 'submits' });
    expect(await standstill()).toBe('no-sender');
    await aWorker();
    expect(await standstill()).toBeUndefined();
  });

  it('is that all workers wait for the store', async () => {
    const { ledger } = place;
    const { apiUrl, account } = await find(ledger);
    const wait = { since: Date.now(), problem: 'PutObject b/1.mp3: InternalError' };
    for (const owner of ['waits', 'works']) await ledger.beat({ owner, apiUrl, account });
    await ledger.noteStoreWait('waits', wait);
    expect(await standstill()).toBeUndefined();
    await ledger.forgetWorkers({ owner: 'works' });
    expect(await standstill()).toBe('no-store');
    await ledger.noteStoreWait('waits', undefined);
    expect(await standstill()).toBeUndefined();
  });

  it('is that the disk has no room for records, also where workers cannot say that they live', async () => {
    const whyFull = jest.fn(() => Promise.resolve('the disk is full'));
    const full = { ...place.ledger, whyFull };
    const batch = await find(place.ledger);
    expect(await viewBatch(full, batch)).toMatchObject({ standstill: 'ledger-full', whyFull: 'the disk is full' });
    expect(whyFull).toHaveBeenCalledTimes(1);
    expect(await findStandstill(full, { ...batch, state: 'closed' })).toEqual({});
  });

  it.each(['create', 'read'])('is that the API does not answer, until a %s is answered', async (what) => {
    await aWorker();
    const now = Date.now();
    await note(what, { type: 'troubled', now, sentAt: now - 60_000 });
    expect(await standstill()).toBe('no-answer');
    await note(what, { type: 'answered', now: now + 10, sentAt: now + 5 });
    expect(await standstill()).toBeUndefined();
  });

  it('is not that the API did not answer an earlier batch', async () => {
    await aWorker();
    const earlier = (await find(place.ledger)).createdAt - 1;
    await note('create', { type: 'troubled', now: earlier, sentAt: earlier });
    expect(await standstill()).toBeUndefined();
  });

  it('is told with the next command', async () => {
    const batch = await find(place.ledger);
    expect(standstillWords('no-worker', batch)).toMatch(/voxbatch worker$/);
    expect(standstillWords('no-sender', batch)).toMatch(/voxbatch worker --only submit$/);
    expect(standstillWords('no-downloader', batch)).toMatch(/voxbatch worker --only download$/);
    expect(standstillWords('ledger-full', batch)).toMatch(/voxbatch status$/);
    expect(standstillWords('ledger-full', batch, { whyFull: 'It lacks 3 MiB.' })).toMatch(/It lacks 3 MiB[.]$/);
    expect(standstillWords('no-store', batch)).toContain('voxbatch doctor');
    expect(standstillWords('no-answer', batch)).toMatch(new RegExp(`${batch.apiUrl} .*voxbatch doctor$`));
    expect(standstillWords('no-answer', batch, { silentMs: 842_000 })).toContain('has not answered for 14:02');
  });
});
