import { describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { ChargeRecord, RowRecord } from '../../../ledger/record-types.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest } from '../setup.ts';

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

describe('a first answer that names a job which another row has for the same request', () => {
  const twins = async (more: Partial<RowSpec> = {}): Promise<void> => {
    await ledger.createBatch(aBatch('twins'));
    const second = { ...aRow(2), spec: { ...aRow(1).spec, ...more } };
    await ledger.addRows('twins', [aRow(1), second]);
    await ledger.openBatch('twins', 2);
    for (const row of [1, 2]) await ledger.intend({ ...aKey(row), batch: 'twins' }, INTENT);
  };
  const [one, two] = [
    { ...aKey(1), batch: 'twins' },
    { ...aKey(2), batch: 'twins' },
  ];

  it('is accepted at no charge, for the API made one job of two requests', async () => {
    await twins();
    expect(await answer(one)).toBe(true);
    expect(await answer(two, { credits: 7 })).toBe(true);
    const { charge } = await recordOf(2, 'twins');
    expect(charge).toMatchObject({ state: 'accepted', jobId: 'j1', charged: 0, chargedFrom: null });
    expect(await ledger.money('twins')).toMatchObject({ charged: PRICE, uncertain: 0 });
    // What the job says it cost counts once, too, whichever row hears it first.
    await ledger.finishJob(two, { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    await ledger.finishJob(one, { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    expect(await ledger.money('twins')).toMatchObject({ charged: 4 });
  });

  it.each<Partial<RowSpec>>([{ dialect: 'legacy' }, { verify: 0.2 }])('is the same request with %j', async (more) => {
    await twins(more);
    await answer(one);
    await answer(two);
    expect((await recordOf(2, 'twins')).charge).toMatchObject({ state: 'accepted', charged: 0 });
  });

  it.each<Partial<RowSpec>>([{ voice: 'w' }, { format: 'wav' }, { extra: { mood: 'calm' } }])(
    'is not the same request with %j',
    async (more) => {
      await twins(more);
      await answer(one);
      await answer(two);
      expect((await recordOf(2, 'twins')).charge).toMatchObject({ state: 'unknown', jobId: null });
    },
  );

  it('is accepted for a further take of the row, but not once the row asks for something else', async () => {
    await ledger.intend(aKey(1), INTENT);
    await answer(aKey(1));
    const failed = { outcome: 'failed', failure: { class: 'JobFailed', message: 'No.' } } as const;
    await ledger.finishJob(aKey(1), { failure: failed.failure }, failed);
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await ledger.redrive('b', [{ row: 1, take: 1, outcome: 'failed', how }]);
    await ledger.intend(aKey(1, 1, 2), INTENT);
    await answer(aKey(1, 1, 2));
    expect((await recordOf(1)).charge).toMatchObject({ take: 2, state: 'accepted', charged: 0 });

    await ledger.finishJob(aKey(1, 1, 2), { failure: failed.failure }, failed);
    const edited = { ...aRow(1), spec: { ...aRow(1).spec, text: 'Another text' } };
    await ledger.redrive('b', [{ row: 1, take: 2, outcome: 'failed', how: { ...how, edited } }]);
    await ledger.intend(aKey(1, 1, 3), INTENT);
    await answer(aKey(1, 1, 3));
    expect((await recordOf(1)).charge).toMatchObject({ take: 3, state: 'unknown', jobId: null });
    expect(await ledger.money('b')).toMatchObject({ charged: PRICE, uncertain: PRICE });
  });
});

describe('a first answer that names the job of a row that asked for something else', () => {
  it('leaves the row in doubt at its quote, and says whose job it is', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), INTENT);
    await answer(aKey(1));
    expect(await answer(aKey(2), { credits: 0 })).toBe(true);
    const { row, charge } = await recordOf(2);
    expect(charge).toMatchObject({ state: 'unknown', jobId: null, charged: null, quoted: PRICE });
    expect(charge?.failure?.message).toContain(
      'named job j1, which row 1 of batch "b" has, and that row asked for something else',
    );
    // Open, for reconcile: nothing is sent for it, and no result of that job is taken.
    expect(row).toMatchObject({ outcome: null, state: 'submitting' });
    expect(await ledger.money('b')).toMatchObject({ charged: PRICE, uncertain: PRICE });
    await ledger.finishJob(aKey(2), { file: FILE }, { outcome: 'succeeded', file: FILE });
    expect((await recordOf(2)).row.outcome).toBeNull();
    // Not as something that was found, either.
    expect(await answer(aKey(2), { isAdopted: true })).toBe(false);
  });

  it('leaves no result of either for later rows', async () => {
    const [one, two] = ['1', '2'].map((key) => ({ ...INTENT, resultKey: key.repeat(43) }));
    if (one === undefined || two === undefined) throw new Error('two intents');
    await ledger.intend(aKey(1), one);
    await ledger.intend(aKey(2), two);
    await answer(aKey(1));
    await ledger.finishJob(aKey(1), { file: FILE }, { outcome: 'succeeded', file: FILE });
    expect((await ledger.sumResults()).entries).toBe(1);
    await answer(aKey(2));
    expect((await ledger.sumResults()).entries).toBe(0);
    expect((await recordOf(1)).row).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('gives a row no voice that another row made', async () => {
    const spec = { kind: 'voice', name: 'Ada', samples: [], extra: {} } as const;
    await ledger.createBatch(aBatch('made'));
    const second = { ...aRow(2), spec: { ...spec, name: 'Ben' } };
    await ledger.addRows('made', [{ ...aRow(1), spec }, second]);
    await ledger.openBatch('made', 2);
    for (const row of [1, 2]) {
      const key = { ...aKey(row, 1, 1, 'voice'), batch: 'made' };
      await ledger.intend(key, INTENT);
      await ledger.settle(key, { verdict: 'done', jobId: 'v1' }, { outcome: 'succeeded', text: 'v1' });
    }
    expect((await recordOf(2, 'made')).row).toMatchObject({ outcome: null, text: null, state: 'submitting' });
    expect(await ledger.money('made')).toMatchObject({ charged: PRICE, uncertain: PRICE });
  });

  it('holds for answers of two lanes at once: whichever is recorded first has the job', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), INTENT);
    await Promise.all([answer(aKey(1)), answer(aKey(2))]);
    const states = [(await recordOf(1)).charge?.state, (await recordOf(2)).charge?.state];
    expect(states.toSorted()).toEqual(['accepted', 'unknown']);
  });
});

describe('a first answer that names a job which another row has', () => {
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
