import { expect, it } from '@jest/globals';
import { readiness, type ReadinessNeeds } from '../../../client/metrics/readiness.ts';
import type { WorkerStatus } from '../../../worker/run-worker.ts';

const RUNNING: WorkerStatus = { isRunning: true, fault: undefined, downloadsQueued: 0 };

function needs(change: Partial<ReadinessNeeds> = {}): ReadinessNeeds {
  const ledger = { outage: () => Promise.resolve(undefined), storeId: () => Promise.resolve('id') };
  return { ledger, store: { requireStillThere: () => Promise.resolve() }, status: () => RUNNING, ...change };
}

it('a worker that runs with ledger and store is ready', async () => {
  expect(await readiness(needs())()).toBeUndefined();
});

it.each([
  ['The worker is starting.', undefined],
  ['The worker is ending.', { ...RUNNING, isRunning: false }],
  ['The worker sends nothing more: the disk is full', { ...RUNNING, fault: new Error('the disk is full') }],
])('%s', async (words, status) => {
  expect(await readiness(needs({ status: () => status }))()).toBe(words);
});

it('says what is heard of a ledger that is away, without asking it', async () => {
  const outage = () => Promise.resolve({ forMs: 3_000, problem: 'connection refused' });
  const ledger = { outage, storeId: () => Promise.reject(new Error('nobody asks')) };
  expect(await readiness(needs({ ledger }))()).toBe('The ledger does not answer: connection refused');
});

it('says what is wrong with a store, and is ready once it is there again', async () => {
  let isThere = false;
  const requireStillThere = () => (isThere ? Promise.resolve() : Promise.reject(new Error('it is not there any more')));
  const problem = readiness(needs({ store: { requireStillThere } }));
  expect(await problem()).toBe('The store does not answer: it is not there any more');
  isThere = true;
  expect(await problem()).toBeUndefined();
});

it('does not wait for a place that says nothing, and does not ask it again meanwhile', async () => {
  let asked = 0;
  let answer: (id: string) => void = () => undefined;
  const storeId = () => {
    asked += 1;
    return new Promise<string>((resolve) => (answer = resolve));
  };
  const problem = readiness(needs({ ledger: { outage: () => Promise.resolve(undefined), storeId } }));
  expect(await Promise.all([problem(), problem()])).toEqual([
    'The ledger does not answer: no answer within 2 s',
    'The ledger does not answer: no answer within 2 s',
  ]);
  expect(asked).toBe(1);
  const later = problem();
  answer('id');
  expect(await later).toBeUndefined();
  expect(asked).toBe(1);
});
