import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes, type SearchAttributePair } from '@temporalio/common';
import { superviseBatches } from '../../../client/work/supervise-batches.ts';
import { FIRST_DOWNLOAD_LANE, type WorkerDuty } from '../../../contract/worker-duty.ts';
import { freshPlace } from '../../support/place.ts';
import { aBatch, fill } from '../../ledger/setup.ts';

const ROWS = 120;
const ME = 'me';
const { apiUrl, account } = aBatch();

const place = freshPlace();

/** Lets it look so many times at a batch whose workflow stands like this, and returns what it did after its start. */
async function looksAt(
  status: 'RUNNING' | 'COMPLETED',
  looks = 2,
  shown: SearchAttributePair[] = [],
  only?: WorkerDuty,
): Promise<{ news: number; starts: number }> {
  const end = new AbortController();
  let asked = 0;
  let news = 0;
  let starts = 0;
  const handle = {
    describe: () => {
      if (++asked > looks) end.abort();
      return Promise.resolve({
        ...{ type: 'superviseBatch', status: { name: status }, raw: {} },
        typedSearchAttributes: new TypedSearchAttributes(shown),
      });
    },
    signal: () => Promise.resolve((news += 1)),
  };
  const signalWithStart = (): Promise<typeof handle> => {
    starts += 1;
    return Promise.resolve({ ...handle, describe: () => Promise.resolve({ type: 'superviseBatch' }) } as typeof handle);
  };
  const workflow = { getHandle: () => handle, signalWithStart };
  const withDeadline = <T>(_: number, work: () => Promise<T>): Promise<T> => work();
  await superviseBatches({
    temporal: { client: { workflow, withDeadline } as unknown as Client, namespace: 'default', address: 'a:1' },
    ledger: place.ledger,
    owner: ME,
    only,
    isMine: () => true,
    everyMs: 1,
    say: () => undefined,
    signal: end.signal,
  });
  return { news, starts: starts - 1 };
}

/** A batch with work for three lanes, and two workers. */
async function prepare(): Promise<void> {
  await fill(place.ledger, ROWS);
  for (const owner of [ME, 'other']) await place.ledger.beat({ owner, apiUrl, account });
}

async function works(owner: string, lane: number): Promise<void> {
  await place.ledger.acquireLane({ batch: 'b', lane, run: 'run', owner });
}

describe('looking after open batches', () => {
  it('wakes one of which Temporal shows unknown rows that it has not, and none that is shown as it is', async () => {
    await fill(place.ledger, ROWS);
    await works(ME, 1);
    const key = defineSearchAttributeKey('VoxbatchUnknown', 'INT');
    expect((await looksAt('RUNNING', 2, [{ key, value: 1 }])).news).toBeGreaterThan(0);
    expect((await looksAt('RUNNING', 2, [{ key, value: 0 }])).news).toBe(0);
  });

  it('tells a batch that could use this worker and does not', async () => {
    await prepare();
    await works('other', 1);
    expect((await looksAt('RUNNING')).news).toBeGreaterThan(0);
  });

  it('tells a batch that has no lane for this worker, which only downloads, whatever lanes the others have', async () => {
    await prepare();
    await works('other', 1);
    await works('third', 2);
    expect((await looksAt('RUNNING', 2, [], 'download')).news).toBeGreaterThan(0);
    await works(ME, FIRST_DOWNLOAD_LANE);
    expect((await looksAt('RUNNING', 2, [], 'download')).news).toBe(0);
  });

  it('tells a batch that could use this worker beside one that only downloads', async () => {
    await prepare();
    await works('other', 1);
    await works('downloads', FIRST_DOWNLOAD_LANE);
    expect((await looksAt('RUNNING')).news).toBeGreaterThan(0);
  });

  it.each([
    ['has this worker', async () => works(ME, 1)],
    [
      'has a lane for each worker',
      async () => {
        await works('other', 1);
        await works('third', 2);
      },
    ],
    ['is paused', async () => place.ledger.setControl('b', 'paused')],
  ])('leaves a batch in peace that %s', async (_, arrange) => {
    await prepare();
    await arrange();
    expect(await looksAt('RUNNING')).toEqual({ news: 0, starts: 0 });
  });

  it('gives a batch whose workflow has ended a new one', async () => {
    await fill(place.ledger, ROWS);
    expect((await looksAt('COMPLETED', 1)).starts).toBeGreaterThan(0);
  });
});
