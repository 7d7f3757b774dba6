import { describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../contract/batch.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChargeRecord, RowRecord } from '../../ledger/record-types.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest } from './setup.ts';

/** An answer that names a job which another attempt has: the bill is one job's, and nothing in doubt is forgotten. */

const LOST = { class: 'OutcomeUnknown', message: 'No answer.' } as const;
const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'a'.repeat(64), extension: 'mp3' };
const PRICE = INTENT.quoted;

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 3);
});

async function lose(key: AttemptKey): Promise<void> {
  await ledger.intend(key, INTENT);
  await ledger.settle(key, { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
}

async function answer(
  key: AttemptKey,
  more: { jobId?: string; credits?: number; isAdopted?: true } = {},
): Promise<boolean> {
  const verdict = { verdict: 'accepted', jobId: 'j1', ...more } as const;
  return (await ledger.settle(key, verdict, { state: 'processing' })).settled;
}

async function recordOf(row: number, batch = 'b'): Promise<{ row: RowRecord; charge: ChargeRecord | undefined }> {
  const found = await ledger.readRow(batch, row);
  if (found === undefined) throw new Error('no such row');
  return { row: found.row, charge: found.charges.at(-1) };
}

describe('a late answer that names a job which another row has adopted', () => {
  it('is no second charge, and of the two requests one stays uncertain', async () => {
    await lose(aKey(1));
    await ledger.intend(aKey(2), INTENT);
    await answer(aKey(2), { isAdopted: true });
    const before = await ledger.money('b');
    expect(before).toMatchObject({ charged: PRICE, uncertain: PRICE });

    expect(await answer(aKey(1), { credits: 7 })).toBe(false);
    expect(await ledger.money('b')).toEqual(before);
    const { row, charge } = await recordOf(1);
    expect(charge).toMatchObject({ state: 'unknown', jobId: null, charged: null });
    expect(row).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown' } });
    for (const failure of [row.failure, charge?.failure]) {
      expect(failure?.message).toContain('named job j1, which row 2 of batch "b" has');
    }
    // The row that has the job keeps it, and its result.
    await ledger.finishJob(aKey(2), { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    expect(await ledger.money('b')).toMatchObject({ charged: 4, uncertain: PRICE });
    expect((await recordOf(2)).row).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('leaves an open row in doubt, which goes on looking for what it made', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { state: 'submitting' });
    await ledger.intend(aKey(2), INTENT);
    await answer(aKey(2), { isAdopted: true });
    expect(await answer(aKey(1))).toBe(false);
    expect((await recordOf(1)).row).toMatchObject({ outcome: null, state: 'submitting', failure: null });
    // Another job is its own.
    expect(await answer(aKey(1), { jobId: 'j2', isAdopted: true })).toBe(true);
    expect(await ledger.money('b')).toMatchObject({ charged: 2 * PRICE, uncertain: 0 });
  });

  it('is about its own take only', async () => {
    await lose(aKey(1));
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await ledger.redrive('b', [{ row: 1, take: 1, outcome: 'unknown', how }]);
    await ledger.intend(aKey(1, 1, 2), INTENT);
    await answer(aKey(1, 1, 2), { isAdopted: true });
    expect(await answer(aKey(1))).toBe(false);
    expect((await recordOf(1)).row).toMatchObject({ take: 2, state: 'processing', failure: null });
    expect(await ledger.money('b')).toMatchObject({ charged: PRICE, uncertain: PRICE });
  });

  it('is about its own take only, also where the later one is lost, too', async () => {
    await lose(aKey(1));
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await ledger.redrive('b', [{ row: 1, take: 1, outcome: 'unknown', how }]);
    await lose(aKey(1, 1, 2));
    await ledger.intend(aKey(2), INTENT);
    await answer(aKey(2), { isAdopted: true });
    expect(await answer(aKey(1))).toBe(false);
    expect((await recordOf(1)).row).toMatchObject({ take: 2, outcome: 'unknown', failure: LOST });
  });
});

describe('a first answer that names a job which another row has', () => {
  it('is accepted at no charge, for the API made one job of two requests', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), INTENT);
    expect(await answer(aKey(1))).toBe(true);
    expect(await answer(aKey(2), { credits: 7 })).toBe(true);
    expect((await recordOf(2)).charge).toMatchObject({ state: 'accepted', jobId: 'j1', charged: 0, chargedFrom: null });
    expect(await ledger.money('b')).toMatchObject({ charged: PRICE, uncertain: 0 });
    // What the job says it cost counts once, too, whichever row hears it first.
    await ledger.finishJob(aKey(2), { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    await ledger.finishJob(aKey(1), { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    expect(await ledger.money('b')).toMatchObject({ charged: 4 });
  });

  it('counts also where that row is of another batch, and not where the account is another', async () => {
    for (const [name, account] of [
      ['same', 'u1'],
      ['other', 'u2'],
    ] as const) {
      await ledger.createBatch({ ...aBatch(name), account });
      await ledger.addRows(name, [aRow(1)]);
      await ledger.openBatch(name, 1);
      await ledger.intend({ ...aKey(1), batch: name }, INTENT);
    }
    await ledger.intend(aKey(1), INTENT);
    await answer(aKey(1));
    for (const batch of ['same', 'other']) expect(await answer({ ...aKey(1), batch })).toBe(true);
    expect((await recordOf(1, 'same')).charge).toMatchObject({ charged: 0 });
    expect((await recordOf(1, 'other')).charge).toMatchObject({ charged: PRICE });
  });

  it('is one charge where the same answer is recorded twice', async () => {
    await ledger.intend(aKey(1), INTENT);
    expect([await answer(aKey(1)), await answer(aKey(1))]).toEqual([true, false]);
    expect((await recordOf(1)).charge).toMatchObject({ charged: PRICE, chargedFrom: 'quote' });
  });
});

describe('an API that counts the jobs of each kind by itself', () => {
  it('makes two jobs of one id for the steps of a row, and both are charged', async () => {
    await ledger.createBatch(aBatch('dubs'));
    const spec = { kind: 'dub', text: 'Row 1', voice: 'v', video: 'https://h.example/v.mp4', extra: {} } as const;
    await ledger.addRows('dubs', [{ ...aRow(1), spec }]);
    await ledger.openBatch('dubs', 1);
    const [speech, lipSync] = [aKey(1), aKey(1, 1, 1, 'lip-sync')].map((key) => ({ ...key, batch: 'dubs' }));
    if (speech === undefined || lipSync === undefined) throw new Error('two keys');
    await ledger.intend(speech, INTENT);
    await answer(speech, { jobId: '17' });
    await ledger.finishJob(speech, { file: FILE }, { state: 'waiting' });
    await ledger.intend(lipSync, INTENT);
    await answer(lipSync, { jobId: '17', credits: 9 });
    expect(await ledger.money('dubs')).toMatchObject({ charged: PRICE + 9 });
    await ledger.finishJob(lipSync, { file: FILE, credits: 11 }, { outcome: 'succeeded', file: FILE });
    expect(await ledger.money('dubs')).toMatchObject({ charged: PRICE + 11 });
  });
});
