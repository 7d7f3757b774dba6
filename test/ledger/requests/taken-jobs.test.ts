import { describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import type { ChargeRecord } from '../../../ledger/requests/charge-records.ts';
import type { RowRecord } from '../../../ledger/rows/row-records.ts';
import type { SettleVerdict } from '../../../ledger/requests/settle.ts';
import * as act from '../actions.ts';
import { FILE, finish, JOB_FAILED, LOST, lose, PAY, redrive, RESUBMIT, send, WAITING } from '../actions.ts';
import { money, standing } from '../readings.ts';
import { aDub, aKey, aRow, INTENT, ledger, ledgerForEachTest, load } from '../setup.ts';

/** An answer that names a job which another attempt has: the bill is one job's, and nothing in doubt is forgotten. */
const PRICE = INTENT.quoted;
const ADOPTED = { isAdopted: true };

ledgerForEachTest(() => load(3));

const answer = (at: act.At, more: Partial<SettleVerdict> = {}): Promise<boolean> =>
  act.answer(at, { jobId: 'j1', ...more });

/** Sends it, and is told that this is its job. */
async function accept(at: act.At, more?: Partial<SettleVerdict>): Promise<void> {
  await send(at);
  expect(await answer(at, more)).toBe(true);
}

async function recordOf(row: number, name?: string): Promise<{ row: RowRecord; charge: ChargeRecord | undefined }> {
  const found = await standing(row, name);
  return { row: found.row, charge: found.charges.at(-1) };
}

async function expectMoney(charged: number, uncertain: number, name?: string): Promise<void> {
  expect(await money(name)).toMatchObject({ charged, uncertain });
}

describe('a late answer that names a job which another row has adopted', () => {
  it('is no second charge, and of the two requests one stays uncertain', async () => {
    await lose(1);
    await accept(2, ADOPTED);
    await expectMoney(PRICE, PRICE);
    expect(await answer(1, { credits: 7 })).toBe(false);
    await expectMoney(PRICE, PRICE);
    const { row, charge } = await recordOf(1);
    expect(charge).toMatchObject({ state: 'unknown', jobId: null, charged: null });
    expect(row).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown' } });
    for (const failure of [row.failure, charge?.failure])
      expect(failure?.message).toContain('named job j1, which row 2 of batch "b" has');
    // The row that has the job keeps it, and its result.
    await finish(2, { file: FILE, credits: 4 });
    await expectMoney(4, PRICE);
    expect((await recordOf(2)).row).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('leaves an open row in doubt, which goes on looking for what it made', async () => {
    await lose(1, LOST, { state: 'submitting' });
    await accept(2, ADOPTED);
    expect(await answer(1)).toBe(false);
    expect((await recordOf(1)).row).toMatchObject({ outcome: null, state: 'submitting', failure: null });
    // Another job is its own.
    expect(await answer(1, { jobId: 'j2', isAdopted: true })).toBe(true);
    await expectMoney(2 * PRICE, 0);
  });

  it('is about its own take only', async () => {
    await lose(1);
    await redrive(1, RESUBMIT);
    await accept(aKey(1, 1, 2), ADOPTED);
    expect(await answer(1)).toBe(false);
    expect((await recordOf(1)).row).toMatchObject({ take: 2, state: 'processing', failure: null });
    await expectMoney(PRICE, PRICE);
  });

  it('is about its own take only, also where the later one is lost, too', async () => {
    await lose(1);
    await redrive(1, RESUBMIT);
    await lose(aKey(1, 1, 2));
    await accept(2, ADOPTED);
    expect(await answer(1)).toBe(false);
    expect((await recordOf(1)).row).toMatchObject({ take: 2, outcome: 'unknown', failure: LOST });
  });
});

describe('a first answer that names a job which another row has for the same request', () => {
  const [one, two] = [aKey(1), aKey(2)].map((key) => ({ ...key, batch: 'twins' })) as [AttemptKey, AttemptKey];

  async function twins(more: Partial<RowSpec> = {}): Promise<void> {
    await load([aRow(1), { ...aRow(2), spec: { ...aRow(1).spec, ...more } }], { name: 'twins' });
    for (const key of [one, two]) await send(key);
    expect(await answer(one)).toBe(true);
  }

  it('is accepted at no charge, for the API made one job of two requests', async () => {
    await twins();
    expect(await answer(two, { credits: 7 })).toBe(true);
    const { charge } = await recordOf(2, 'twins');
    expect(charge).toMatchObject({ state: 'accepted', jobId: 'j1', charged: 0, chargedFrom: null });
    await expectMoney(PRICE, 0, 'twins');
    // What the job says it cost counts once, too, whichever row hears it first.
    for (const key of [two, one]) await finish(key, { file: FILE, credits: 4 });
    await expectMoney(4, 0, 'twins');
  });

  it.each<[string, Partial<RowSpec>, object]>([
    ['', { dialect: 'legacy' }, { state: 'accepted', charged: 0 }],
    ['', { verify: 0.2 }, { state: 'accepted', charged: 0 }],
    [' not', { voice: 'w' }, { state: 'unknown', jobId: null }],
    [' not', { format: 'wav' }, { state: 'unknown', jobId: null }],
    [' not', { extra: { mood: 'calm' } }, { state: 'unknown', jobId: null }],
  ])('is%s the same request with %j', async (_, more, charge) => {
    await twins(more);
    await answer(two);
    expect((await recordOf(2, 'twins')).charge).toMatchObject(charge);
  });

  it('is accepted for a further take of the row, but not once the row asks for something else', async () => {
    await accept(1);
    await finish(1, { failure: JOB_FAILED });
    await redrive(1);
    await accept(aKey(1, 1, 2));
    expect((await recordOf(1)).charge).toMatchObject({ take: 2, state: 'accepted', charged: 0 });
    await finish(aKey(1, 1, 2), { failure: JOB_FAILED });
    await redrive(1, { ...PAY, edited: { ...aRow(1), spec: { ...aRow(1).spec, text: 'Another text' } } });
    await accept(aKey(1, 1, 3));
    expect((await recordOf(1)).charge).toMatchObject({ take: 3, state: 'unknown', jobId: null });
    await expectMoney(PRICE, PRICE);
  });
});

describe('a first answer that names the job of a row that asked for something else', () => {
  it('leaves the row in doubt at its quote, and says whose job it is', async () => {
    await accept(1);
    await accept(2, { credits: 0 });
    const { row, charge } = await recordOf(2);
    expect(charge).toMatchObject({ state: 'unknown', jobId: null, charged: null, quoted: PRICE });
    const words = 'named job j1, which row 1 of batch "b" has, and that row asked for something else';
    expect(charge?.failure?.message).toContain(words);
    // Open, for reconcile: nothing is sent for it, and no result of that job is taken.
    expect(row).toMatchObject({ outcome: null, state: 'submitting' });
    await expectMoney(PRICE, PRICE);
    await finish(2, { file: FILE });
    expect((await recordOf(2)).row.outcome).toBeNull();
    // Not as something that was found, either.
    expect(await answer(2, ADOPTED)).toBe(false);
  });

  it('leaves no result of either for later rows', async () => {
    for (const row of [1, 2]) await send(row, { resultKey: String(row).repeat(43) });
    await answer(1);
    await finish(1, { file: FILE });
    expect((await ledger.sumResults()).entries).toBe(1);
    await answer(2);
    expect((await ledger.sumResults()).entries).toBe(0);
    expect((await recordOf(1)).row).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('gives a row no voice that another row made', async () => {
    const rows = ['Ada', 'Ben'].map(
      (name, at) => ({ ...aRow(at + 1), spec: { kind: 'voice', name, samples: [], extra: {} } }) as const,
    );
    await load(rows, { name: 'made' });
    for (const row of [1, 2])
      await act.complete({ ...aKey(row, 1, 1, 'voice'), batch: 'made' }, { jobId: 'v1', text: 'v1' });
    expect((await recordOf(2, 'made')).row).toMatchObject({ outcome: null, text: null, state: 'submitting' });
    await expectMoney(PRICE, PRICE, 'made');
  });

  it('holds for answers of two lanes at once: whichever is recorded first has the job', async () => {
    for (const row of [1, 2]) await send(row);
    await Promise.all([answer(1), answer(2)]);
    const states = [(await recordOf(1)).charge?.state, (await recordOf(2)).charge?.state];
    expect(states.toSorted()).toEqual(['accepted', 'unknown']);
  });
});

describe('a first answer that names a job which another row has', () => {
  it('counts also where that row is of another batch, and not where the account is another', async () => {
    await accept(1);
    for (const [name, account, charged] of [
      ['same', 'u1', 0],
      ['other', 'u2', PRICE],
    ] as const) {
      await load(1, { name, account });
      await accept({ ...aKey(1), batch: name });
      expect((await recordOf(1, name)).charge).toMatchObject({ charged });
    }
  });

  it('is one charge where the same answer is recorded twice', async () => {
    await accept(1);
    expect(await answer(1)).toBe(false);
    expect((await recordOf(1)).charge).toMatchObject({ charged: PRICE, chargedFrom: 'quote' });
  });
});

it('an API that counts the jobs of each kind by itself makes two jobs of one id for the steps of a row, and both are charged', async () => {
  await load([aDub(1)], { name: 'dubs' });
  const [speech, lipSync] = [aKey(1), aKey(1, 1, 1, 'lip-sync')].map((key) => ({ ...key, batch: 'dubs' })) as [
    AttemptKey,
    AttemptKey,
  ];
  await accept(speech);
  await finish(speech, { file: FILE }, WAITING);
  await accept(lipSync, { credits: 9 });
  await expectMoney(PRICE + 9, 0, 'dubs');
  await finish(lipSync, { file: FILE, credits: 11 });
  await expectMoney(PRICE + 11, 0, 'dubs');
});
