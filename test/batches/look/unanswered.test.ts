import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { apiStanding, standstillOf } from '../../../batches/look/standstill.ts';
import { paceWords } from '../../../starters/terminal/progress-words.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aKey, fill, INTENT, makeFolder } from '../../ledger/setup.ts';
import { openTestLedger } from '../../support/open-test-ledger.ts';
import { accept, find } from '../../starters/steering.ts';

let ledger: Ledger;
let remove: () => Promise<void>;
let time: number;

beforeEach(async () => {
  time = Date.now();
  const made = await makeFolder();
  ({ remove } = made);
  ledger = await openTestLedger(join(made.folder, 'ledger.db'), { clock: { now: () => time } });
  await fill(ledger, 4);
});
afterEach(async () => {
  await ledger.close();
  await remove();
});

/** Lets that much time pass for a worker that lives. */
async function pass(ms: number): Promise<void> {
  time += ms;
  const { apiUrl, account } = await find(ledger);
  await ledger.beat({ owner: 'w1', apiUrl, account });
}

const standing = async () => apiStanding(ledger, await find(ledger));

it('an API that answers none of the requests on the wire is silent since its last answer, long before they time out', async () => {
  await ledger.intend(aKey(2), INTENT);
  await ledger.intend(aKey(3), INTENT);
  await pass(5_000);
  await accept(ledger, 1);
  const answeredAt = time;
  await pass(14_000);
  expect(await standing()).toMatchObject({ silentSince: null });
  await pass(31_000);
  const api = await standing();
  expect(api).toMatchObject({ silentSince: answeredAt, unanswered: 2 });
  expect(await standstillOf(ledger, await find(ledger))).toBe('no-answer');
  const pace = { rowsPerSecond: 0, secondsLeft: null };
  expect(paceWords({ pace, api }, time)).toEqual(['2 requests without an answer for 0:45']);
  await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'job-2' }, { state: 'processing' });
  expect(await standing()).toMatchObject({ silentSince: null });
});

it('requests of a process that was killed say nothing of the API', async () => {
  await ledger.intend(aKey(1), INTENT);
  time += 60_000;
  expect(await standing()).toMatchObject({ silentSince: null });
});
