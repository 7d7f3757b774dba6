import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { limiterScope } from '../../../contract/names.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aKey, fill, INTENT } from '../setup.ts';
import { openTestLedger } from '../../support/open-test-ledger.ts';
import { accept, find } from '../../starters/reached-states.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

let ledger: Ledger;
let time: number;

beforeEach(async () => {
  time = Date.now();
  const opened = await openTestLedger(join(freshFolder(), 'ledger.db'), { clock: { now: () => time } });
  endAfterTest(() => opened.close());
  ledger = opened;
  await fill(ledger, 4);
});

/** Lets that much time pass for a worker that lives. */
async function pass(ms: number): Promise<void> {
  time += ms;
  const { apiUrl, account } = await find(ledger);
  await ledger.beat({ owner: 'w1', apiUrl, account });
}

/** Notes that jobs cannot be read, by calls from then on. */
async function trouble(sentAt: number): Promise<void> {
  const scope = limiterScope({ realm: await find(ledger) }, 'read');
  await ledger.updateLimiter(scope, { type: 'troubled', now: time, sentAt });
}

const silence = async () => (await ledger.apiHealth(await find(ledger))).silence;
const silentMs = async () => (await ledger.gauges()).map((batch) => batch.silentMs);

it('an API that answers none of the requests on the wire is silent since its last answer, for status and metrics alike', async () => {
  await ledger.intend(aKey(2), INTENT);
  await ledger.intend(aKey(3), INTENT);
  await pass(5_000);
  await accept(ledger, 1);
  const answeredAt = time;
  await pass(14_000);
  expect([await silence(), await silentMs()]).toEqual([null, [0]]);
  await pass(31_000);
  expect([await silence(), await silentMs()]).toEqual([{ since: answeredAt, requests: 2 }, [45_000]]);
  await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'job-2' }, { state: 'processing' });
  expect([await silence(), await silentMs()]).toEqual([null, [0]]);
});

it('is not silent to the requests of a process that died, for whose answer nobody waits', async () => {
  await ledger.intend(aKey(2), { ...INTENT, owner: 'killed' });
  await pass(254_000);
  expect([await silence(), await silentMs()]).toEqual([null, [0]]);
  await ledger.intend(aKey(3), INTENT);
  const since = time;
  await pass(20_000);
  expect([await silence(), await silentMs()]).toEqual([{ since, requests: 1 }, [20_000]]);
});

it('stays silent, since its last answer, while requests time out: rows that end so are no answers', async () => {
  await accept(ledger, 1);
  const sentAt = time;
  await ledger.intend(aKey(2), INTENT);
  await pass(180_000);
  const failure = { class: 'OutcomeUnknown', message: 'time-out' } as const;
  await ledger.settle(aKey(2), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
  await trouble(sentAt);
  expect(await silence()).toEqual({ since: sentAt, requests: 0 });
});

it.each(['NotSent', 'ServiceDown'] as const)(
  'stays silent when a row fails for want of an answer: %s',
  async (name) => {
    const sentAt = time;
    await ledger.intend(aKey(1), INTENT);
    await pass(60_000);
    const failure = { class: name, message: 'no answer' } as const;
    await ledger.settle(aKey(1), { verdict: 'not-accepted', failure }, { outcome: 'failed', failure });
    await trouble(sentAt);
    expect(await silence()).toEqual({ since: sentAt, requests: 0 });
  },
);

it('is not silent once another call was answered, also one of another class', async () => {
  await trouble(time - 30_000);
  await pass(20_000);
  expect(await silence()).toEqual({ since: time - 50_000, requests: 0 });
  await accept(ledger, 1);
  expect(await silence()).toBeNull();
});

it('is no longer silent for a batch that waits for a person: nobody calls it', async () => {
  await trouble(time);
  await ledger.setControl('b', 'paused');
  await pass(60_000);
  expect(await silence()).not.toBeNull();
  await pass(300_000);
  expect([await silence(), await silentMs()]).toEqual([null, [0]]);
});

it('says nothing of requests that may still be sending recordings', async () => {
  await fill(ledger, 1, 'voices', 'voice');
  await ledger.intend({ ...aKey(1, 1, 1, 'voice'), batch: 'voices' }, INTENT);
  await pass(60_000);
  expect((await ledger.apiHealth(await find(ledger, 'voices'))).silence).toBeNull();
});

it('calls and requests of a process that was killed say nothing of the API', async () => {
  await ledger.intend(aKey(1), INTENT);
  await trouble(time);
  time += 60_000;
  expect(await silence()).toBeNull();
});
