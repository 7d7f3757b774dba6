import { describe, expect, it } from '@jest/globals';
import { limiterScope } from '../../../contract/names.ts';
import type { BatchRecord } from '../../../ledger/record-types.ts';
import { standstillOf } from '../../../batches/look/view-batch.ts';
import { standstillWords } from '../../../starters/terminal/pause-words.ts';
import { invocationForEach, STATES } from '../steering.ts';

const invocation = invocationForEach();

async function theBatch(): Promise<BatchRecord> {
  const batch = await invocation.ledger.findBatch('b');
  if (batch === undefined) throw new Error('There is no batch b.');
  return batch;
}

async function aWorker(): Promise<void> {
  const { apiUrl, account } = await theBatch();
  await invocation.ledger.beat({ owner: 'w1', apiUrl, account });
}

const scope = async (what: string): Promise<string> => limiterScope({ realm: await theBatch() }, what);

describe('why a batch stands still', () => {
  it('is that no worker lives, unless the batch is paused or finished', async () => {
    await STATES.untouched(invocation.ledger);
    expect(await standstillOf(invocation.ledger, await theBatch())).toBe('no-worker');
    await invocation.ledger.setControl('b', 'paused');
    expect(await standstillOf(invocation.ledger, await theBatch())).toBeUndefined();
    await invocation.ledger.setControl('b', 'running');
    await aWorker();
    expect(await standstillOf(invocation.ledger, await theBatch())).toBeUndefined();
    await invocation.ledger.stopNow('b');
    await invocation.ledger.closeBatch('b');
    await invocation.ledger.forgetWorkers('all');
    expect(await standstillOf(invocation.ledger, await theBatch())).toBeUndefined();
  });

  it.each(['create', 'read'])('is that the API does not answer, until a %s is answered', async (what) => {
    await STATES.untouched(invocation.ledger);
    await aWorker();
    const now = Date.now();
    await invocation.ledger.updateLimiter(await scope(what), { type: 'troubled', now, sentAt: now });
    expect(await standstillOf(invocation.ledger, await theBatch())).toBe('no-answer');
    await invocation.ledger.updateLimiter(await scope(what), { type: 'answered', now: now + 10, sentAt: now + 5 });
    expect(await standstillOf(invocation.ledger, await theBatch())).toBeUndefined();
  });

  it('is not that the API did not answer an earlier batch', async () => {
    await STATES.untouched(invocation.ledger);
    await aWorker();
    const earlier = (await theBatch()).createdAt - 1;
    await invocation.ledger.updateLimiter(await scope('create'), { type: 'troubled', now: earlier, sentAt: earlier });
    expect(await standstillOf(invocation.ledger, await theBatch())).toBeUndefined();
  });

  it('is told with the next command', async () => {
    await STATES.untouched(invocation.ledger);
    const batch = await theBatch();
    expect(standstillWords('no-worker', batch)).toMatch(/voxbatch worker$/);
    expect(standstillWords('no-answer', batch)).toMatch(new RegExp(`${batch.apiUrl} .*voxbatch doctor$`));
  });
});
