import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { UnresolvedAttempt } from '../../../ledger/record-types.ts';
import { aBatch, aKey, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** Questions about all batches of an account, which a row that looks a lost job up must have answered right. */

const { apiUrl, account } = aBatch();
let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 3);
});

/** A batch of another API or account, with a request of its row 1. */
async function fillForeign(name: string, more: { apiUrl?: string; account?: string }): Promise<void> {
  await ledger.createBatch({ ...aBatch(name), ...more });
  await ledger.addRows(name, [
    { row: 1, id: 'r1', line: 2, spec: { kind: 'tts', text: 'x', voice: 'v', extra: {} }, input: [], quoted: 1 },
  ]);
  await ledger.openBatch(name, 1);
  await ledger.intend({ ...aKey(1), batch: name }, INTENT);
}

describe('attempts that are unresolved', () => {
  const ask = async (row = 1, since = 0, batch = 'b'): Promise<boolean> =>
    (await ledger.otherUnresolved(apiUrl, account, { ...aKey(row), batch }, since)).length > 0;
  const asked = async (row = 1, attempt = 1, take = 1): Promise<readonly UnresolvedAttempt[]> =>
    ledger.otherUnresolved(apiUrl, account, aKey(row, attempt, take), 0);

  it('names none where only the row itself has a request out', async () => {
    expect(await ask()).toBe(false);
    await ledger.intend(aKey(1), INTENT);
    expect(await ask()).toBe(false);
    expect(await ask(2)).toBe(true);
  });

  it.each(['accepted', 'done', 'rejected', 'not-accepted'] as const)('names none after %s', async (verdict) => {
    await ledger.intend(aKey(2), INTENT);
    await ledger.settle(aKey(2), { verdict, jobId: 'j' }, { state: 'waiting' });
    expect(await ask()).toBe(false);
  });

  it('names one that is unknown, and one for the same row of another batch', async () => {
    await ledger.intend(aKey(2), INTENT);
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    expect(await ask()).toBe(true);
    expect(await ask(2)).toBe(false);
    expect(await ask(2, 0, 'another')).toBe(true);
  });

  it('looks at requests of the same step since that time only', async () => {
    await ledger.intend(aKey(2), INTENT);
    const intentAt = (await ledger.readRow('b', 2))?.charges[0]?.intentAt ?? 0;
    expect(await ask(1, intentAt)).toBe(true);
    expect(await ask(1, intentAt + 1)).toBe(false);
    expect(await ledger.otherUnresolved(apiUrl, account, aKey(1, 1, 1, 'lip-sync'), 0)).toEqual([]);
  });

  it('does not look at other accounts and APIs', async () => {
    await fillForeign('x', { account: 'somebody' });
    await fillForeign('y', { apiUrl: 'http://127.0.0.1:2/api/open/v1' });
    expect(await ask()).toBe(false);
  });

  it('names what each asked for, also before an edit', async () => {
    for (const row of [1, 2]) {
      await ledger.intend(aKey(row), INTENT);
      await ledger.settle(aKey(row), { verdict: 'unknown' }, { outcome: 'unknown' });
    }
    const spec = { kind: 'tts', text: 'Edited', voice: 'v', extra: {} } as const;
    const how = {
      type: 'pay',
      fromStep: 'speech',
      reason: 'resubmitted',
      edited: { spec, input: [], quoted: 1 },
    } as const;
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how }]);
    expect(await ask(2)).toBe(true);
    await ledger.settle(aKey(2), { verdict: 'rejected' }, { outcome: 'failed' });
    await ledger.intend(aKey(1, 1, 2), INTENT);

    // Its own first take is another attempt, too.
    expect(await asked(1, 1, 2)).toMatchObject([{ row: 1, take: 1, state: 'unknown', spec: { text: 'Row 1' } }]);
    expect(await asked()).toMatchObject([{ row: 1, take: 2, state: 'sending', spec: { text: 'Edited' } }]);
    expect(await asked(1, 2, 2)).toHaveLength(2);
    expect(await asked(3)).toHaveLength(2);
  });
});

describe('countRunning', () => {
  it('counts accepted jobs that have not ended, of the account, in all batches', async () => {
    const count = (): Promise<number> => ledger.countRunning(apiUrl, account);
    expect(await count()).toBe(0);
    for (const row of [1, 2, 3]) await ledger.intend(aKey(row), INTENT);
    expect(await count()).toBe(0);
    for (const row of [1, 2]) {
      await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `j${row}` }, { state: 'processing' });
    }
    await ledger.settle(aKey(3), { verdict: 'done' }, { outcome: 'succeeded' });
    expect(await count()).toBe(2);
    await ledger.finishJob(aKey(1), {}, { outcome: 'succeeded' });
    expect(await count()).toBe(1);
    expect(await ledger.countRunning(apiUrl, 'somebody')).toBe(0);
    expect(await ledger.countRunning('http://127.0.0.1:2/', account)).toBe(0);
  });
});

describe('isJobClaimed', () => {
  it('looks through all batches of the account, and of no other', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(await ledger.isJobClaimed(apiUrl, account, 'speech', 'j1')).toBe(true);
    expect(await ledger.holderOfJob(apiUrl, account, 'speech', 'j1')).toEqual({ batch: 'b', row: 1 });
    expect(await ledger.isJobClaimed(apiUrl, account, 'speech', 'j2')).toBe(false);
    expect(await ledger.holderOfJob(apiUrl, account, 'speech', 'j2')).toBeUndefined();
    expect(await ledger.isJobClaimed(apiUrl, 'somebody', 'speech', 'j1')).toBe(false);
    expect(await ledger.isJobClaimed(apiUrl, account, 'lip-sync', 'j1')).toBe(false);
  });

  it('does not look at another API', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(await ledger.isJobClaimed('http://127.0.0.1:2/', account, 'speech', 'j1')).toBe(false);
  });
});

describe('a job that is adopted', () => {
  it('is free for a batch of another account, which has jobs of its own', async () => {
    const adopted = { verdict: 'accepted', jobId: 'j1', isAdopted: true } as const;
    await fillForeign('x', { account: 'somebody' });
    await ledger.intend(aKey(1), INTENT);
    expect(await ledger.settle(aKey(1), adopted, { state: 'processing' })).toMatchObject({ settled: true });
    expect(await ledger.settle({ ...aKey(1), batch: 'x' }, adopted, { state: 'processing' })).toMatchObject({
      settled: true,
    });
  });
});

describe('sending', () => {
  it('lists the requests of one batch that are without a verdict, by row', async () => {
    await fill(ledger, 1, 'c');
    for (const row of [3, 1, 2]) await ledger.intend(aKey(row), INTENT);
    await ledger.intend({ ...aKey(1), batch: 'c' }, INTENT);
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    expect((await ledger.sending('b')).map(({ batch, row }) => [batch, row])).toEqual([
      ['b', 1],
      ['b', 3],
    ]);
  });
});
