import { describe, expect, it } from '@jest/globals';
import type { UnresolvedAttempt } from '../../../ledger/requests/unresolved.ts';
import { accept, answer, complete, finish, lose, redrive, RESUBMIT, send, settle, WAITING } from '../actions.ts';
import { chargesOf } from '../readings.ts';
import { aBatch, aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

/** Questions about all batches of an account, which a row that looks a lost job up must have answered right. */

const { apiUrl, account } = aBatch();
const ELSEWHERE = 'http://127.0.0.1:2/api/open/v1';

ledgerForEachTest(() => load(3));

/** A batch of another API or account, with a request of its row 1. */
async function loadForeign(name: string, more: { apiUrl?: string; account?: string }): Promise<void> {
  await load(1, { name, ...more });
  await send({ ...aKey(1), batch: name });
}

describe('attempts that are unresolved', () => {
  const asked = async (row = 1, take = 1, attempt = 1, since = 0): Promise<readonly UnresolvedAttempt[]> =>
    ledger.otherUnresolved(apiUrl, account, aKey(row, attempt, take), since);

  it('names none where only the row itself has a request out', async () => {
    expect(await asked()).toEqual([]);
    await send(1);
    expect(await asked()).toEqual([]);
    expect(await asked(2)).toHaveLength(1);
  });

  it.each(['accepted', 'done', 'rejected', 'not-accepted'] as const)('names none after %s', async (verdict) => {
    await send(2);
    await settle(2, { verdict, jobId: 'j' }, WAITING);
    expect(await asked()).toEqual([]);
  });

  it('names one that is unknown, and one for the same row of another batch', async () => {
    await lose(2);
    expect(await asked()).toHaveLength(1);
    expect(await asked(2)).toEqual([]);
    expect(await ledger.otherUnresolved(apiUrl, account, { ...aKey(2), batch: 'another' }, 0)).toHaveLength(1);
  });

  it('looks at requests of the same step since that time only', async () => {
    await send(2);
    const intentAt = (await chargesOf(2))[0]?.intentAt ?? 0;
    expect(await asked(1, 1, 1, intentAt)).toHaveLength(1);
    expect(await asked(1, 1, 1, intentAt + 1)).toEqual([]);
    expect(await ledger.otherUnresolved(apiUrl, account, aKey(1, 1, 1, 'lip-sync'), 0)).toEqual([]);
  });

  it('does not look at other accounts and APIs', async () => {
    await loadForeign('x', { account: 'somebody' });
    await loadForeign('y', { apiUrl: ELSEWHERE });
    expect(await asked()).toEqual([]);
  });

  it('names what each asked for, also before an edit', async () => {
    for (const row of [1, 2]) await lose(row);
    const spec = { kind: 'tts', text: 'Edited', voice: 'v', extra: {} } as const;
    await redrive(1, { ...RESUBMIT, edited: { spec, input: [], quoted: 1 } });
    expect(await asked(2)).toHaveLength(1);
    await settle(2, { verdict: 'rejected' }, { outcome: 'failed' });
    await send(aKey(1, 1, 2));
    // Its own first take is another attempt, too.
    expect(await asked(1, 2)).toMatchObject([{ row: 1, take: 1, state: 'unknown', spec: { text: 'Row 1' } }]);
    expect(await asked()).toMatchObject([{ row: 1, take: 2, state: 'sending', spec: { text: 'Edited' } }]);
    expect(await asked(1, 2, 2)).toHaveLength(2);
    expect(await asked(3)).toHaveLength(2);
  });
});

it('countRunning counts accepted jobs that have not ended, of the account, in all batches', async () => {
  const count = (): Promise<number> => ledger.countRunning(apiUrl, account);
  for (const row of [1, 2]) await send(row);
  expect(await count()).toBe(0);
  for (const row of [1, 2]) await answer(row);
  await complete(3);
  expect(await count()).toBe(2);
  await finish(1);
  expect(await count()).toBe(1);
  expect(await ledger.countRunning(apiUrl, 'somebody')).toBe(0);
  expect(await ledger.countRunning(ELSEWHERE, account)).toBe(0);
});

describe('who has a job', () => {
  it('is looked for in all batches of the account, and in no other', async () => {
    await accept(1);
    expect(await ledger.holderOfJob(apiUrl, account, 'speech', 'j1')).toEqual({ batch: 'b', row: 1 });
    for (const [api, who, step, job] of [
      [apiUrl, account, 'speech', 'j2'],
      [apiUrl, 'somebody', 'speech', 'j1'],
      [apiUrl, account, 'lip-sync', 'j1'],
      [ELSEWHERE, account, 'speech', 'j1'],
    ] as const)
      expect(await ledger.holderOfJob(api, who, step, job)).toBeUndefined();
  });

  it('of another account does not matter: that has jobs of its own, which may be adopted', async () => {
    await loadForeign('x', { account: 'somebody' });
    await send(1);
    for (const key of [aKey(1), { ...aKey(1), batch: 'x' }])
      expect(await answer(key, { jobId: 'j1', isAdopted: true })).toBe(true);
  });
});

it('sending lists the requests of one batch that are without a verdict, by row', async () => {
  await load(1, { name: 'c' });
  for (const row of [3, 1]) await send(row);
  await lose(2);
  await send({ ...aKey(1), batch: 'c' });
  expect((await ledger.sending('b')).map(({ batch, row }) => `${batch} ${row}`)).toEqual(['b 1', 'b 3']);
});
