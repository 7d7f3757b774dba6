import { expect, it } from '@jest/globals';
import {
  chosenRows,
  partsToRedrive,
  type RedriveRules,
  type RedriveSelection,
  type RowChoice,
  rulesOf,
  selectedRows,
} from '../../../batches/redrive/selection.ts';
import { draftRedrive, openRows } from '../../../batches/redrive/redrive.ts';
import type { RedriveDraft } from '../../../batches/redrive/draft.ts';
import type { Outcome } from '../../../contract/outcomes.ts';
import { forecastLines } from '../../../starters/redrive/redrive-words.ts';
import { accept, fail, FILE, finish, giveUpWaiting, lose, succeed, UNFIT } from '../../ledger/actions.ts';
import { batchOf, rowOf } from '../../ledger/readings.ts';
import { aKey, aRow, claimAnew, ledger, ledgerForEachTest, load, partsOf } from '../../ledger/setup.ts';
import { ANN } from '../../support/ann.ts';

/** Row 1 is spoken in parts, which are rows 3 and 4; row 2 is whole. */
ledgerForEachTest(() => load([{ ...aRow(1), parts: partsOf(3, 'One.', 'Two.') }, aRow(2)]));

/** Ends a part, with one request at 1 credit, or none. */
async function endPart(row: number, outcome: Outcome): Promise<void> {
  if (outcome === 'succeeded') return succeed(row);
  if (outcome === 'failed') return fail(row);
  if (outcome === 'unknown') return lose(row);
  if (outcome === 'skipped') {
    await ledger.giveUp(aKey(row), { outcome, failure: { class: 'OverBudget', message: 'Not sent.' } });
    return;
  }
  await accept(row);
  if (outcome === 'overdue') return giveUpWaiting(row);
  const unfit = { file: FILE, failure: UNFIT };
  await finish(row, unfit, { outcome: 'unfit', ...unfit });
}

/** All parts have their results, and the row too: they have been joined. */
async function join(): Promise<void> {
  for (const row of [3, 4]) await succeed(row);
  const whole = (await claimAnew(ledger)).rows.find(({ row }) => row.row === 1);
  await ledger.endSplitRow({ batch: 'b', row: 1, fence: whole?.row.fence ?? 0 }, { file: FILE });
}

async function chosen(rules: { replace?: boolean; edited?: true } = {}): Promise<readonly number[]> {
  const rows: number[] = [];
  const edit = { ...aRow(1), from: 'speech' } as const;
  const named = chosenRows(ledger, 'b', {});
  const found = {
    async *[Symbol.asyncIterator]() {
      for await (const one of named) yield rules.edited === true ? { ...one, edit } : one;
    },
  };
  const parts = partsToRedrive(ledger, 'b', found, { replace: rules.replace ?? false, step: null });
  for await (const { scanned } of parts) rows.push(scanned.row.row);
  return rows;
}

it('a row in parts is redriven by the parts that lack a result, also if it was named', async () => {
  await succeed(3);
  await fail(4);
  expect(await chosen()).toEqual([4, 2]);
  expect(await chosen({ replace: true })).toEqual([4, 2]);
  expect(await chosen({ edited: true })).toEqual([1, 2]);
});

it('a row in parts with its result stays, or has all parts made anew', async () => {
  await join();
  expect(await chosen()).toEqual([1, 2]);
  expect(await chosen({ replace: true })).toEqual([3, 4, 2]);
});

async function draftOf(choice: RowChoice, rules: Partial<RedriveRules> = {}): Promise<RedriveDraft> {
  const all = { step: null, resubmit: false, replace: false, accept: false, asksForOverdue: false, ...rules };
  return draftRedrive(ledger, await batchOf(), chosenRows(ledger, 'b', choice), all);
}

it('is announced as one row with its parts, at the price of these, and opened as one', async () => {
  for (const row of [3, 4]) await fail(row);
  const draft = await draftOf({ outcomes: ['failed'] });
  expect(draft).toMatchObject({ count: 1, parts: 2, paying: 1 });
  // "One." and "Two.", at half a credit for a character.
  expect(draft.bill).toMatchObject({ quoted: 4, kinds: { tts: { rows: 1, requests: 2 } } });
  expect(forecastLines(draft, 'b')).toEqual([
    'Redrive of batch "b", at a cost of 4 credits',
    '  1 row to send, from speech on',
    '  of rows in parts: 2 parts, and no other part of these rows',
  ]);
  const rows = chosenRows(ledger, 'b', { outcomes: ['failed'] });
  expect(await openRows(ledger, 'b', draft, rows, ANN)).toEqual({ type: 'opened', opened: 1, movedOn: 0 });
});

it('of which all parts are made anew names the row whose result is replaced', async () => {
  await join();
  const draft = await draftOf({ rows: [1] }, { replace: true });
  expect(draft).toMatchObject({ count: 1, parts: 2, replaced: 1, firstReplaced: [{ row: 1, id: 'r1' }] });
});

it('whose unfit part is accepted needs a worker, who joins it', async () => {
  await succeed(3);
  await endPart(4, 'unfit');
  expect(await draftOf({ rows: [1] }, { accept: true })).toMatchObject({ count: 1, accepts: 1, isSettling: false });
});

/** What a redrive of the batch by a wish does with which rows, what it pays, and what is open after it. */
async function redriven(wish: RedriveSelection): Promise<object> {
  const batch = await batchOf();
  const wished = await selectedRows(ledger, batch, wish);
  if (wished.type !== 'found') throw new Error('There is no such row.');
  const draft = await draftRedrive(ledger, batch, wished.rows, rulesOf(wish));
  const { count, parts, waits, paying, bill } = draft;
  const refused = draft.refused.map(({ row }) => row);
  if (refused.length === 0) {
    expect(await openRows(ledger, 'b', draft, wished.rows, ANN)).toEqual({ type: 'opened', opened: count, movedOn: 0 });
  }
  const open: number[] = [];
  for (const row of [3, 4]) if ((await rowOf(row)).outcome === null) open.push(row);
  return { count, parts, waits, paying, quoted: bill.quoted, refused, open };
}

const NOTHING = { count: 0, parts: 0, waits: 0, paying: 0, quoted: 0, refused: [], open: [] };
const FREE = { count: 1, parts: 1, waits: 1, paying: 0, quoted: 0, refused: [] };
const ONE_PAID = { count: 1, parts: 1, waits: 0, paying: 1, quoted: 2, refused: [] };

it.each<[string, readonly [Outcome, Outcome], RedriveSelection, object]>([
  ['the overdue part alone, free', ['overdue', 'failed'], { outcomes: ['overdue'] }, { ...FREE, open: [3] }],
  ['the same of a named row', ['failed', 'overdue'], { rows: ['r1'], outcomes: ['overdue'] }, { ...FREE, open: [4] }],
  ['the overdue part of a row in doubt', ['unknown', 'overdue'], { outcomes: ['overdue'] }, { ...FREE, open: [4] }],
  ['the failed part of a late row', ['overdue', 'failed'], { outcomes: ['failed'] }, { ...ONE_PAID, open: [4] }],
  ['the part whose class it is', ['overdue', 'failed'], { classes: ['JobFailed'] }, { ...ONE_PAID, open: [4] }],
  ['the part that meets all conditions', ['unfit', 'failed'], { outcomes: ['failed'], classes: ['Unfit'] }, NOTHING],
  ['the failed part, not the unfit one', ['unfit', 'failed'], { outcomes: ['failed'] }, { ...ONE_PAID, open: [4] }],
  ['the unfit part, not the failed one', ['unfit', 'failed'], { outcomes: ['unfit'] }, { ...ONE_PAID, open: [3] }],
  ['the skipped part of a failed row', ['skipped', 'failed'], { outcomes: ['skipped'] }, { ...ONE_PAID, open: [3] }],
  [
    'the unknown part, which is refused',
    ['unknown', 'failed'],
    { outcomes: ['unknown'] },
    { ...NOTHING, refused: [3] },
  ],
  ['the unfit part that its row failed by', ['unfit', 'skipped'], { outcomes: ['failed'] }, { ...ONE_PAID, open: [3] }],
  ['no part that is there', ['succeeded', 'failed'], { outcomes: ['succeeded'] }, NOTHING],
  [
    'all that it lacks without a condition',
    ['overdue', 'failed'],
    { rows: ['r1'] },
    { count: 1, parts: 2, open: [3, 4] },
  ],
])('of a row in parts, a condition means %s', async (_, [one, other], wish, expected) => {
  await endPart(3, one);
  await endPart(4, other);
  expect(await redriven(wish)).toMatchObject(expected);
});

it('of parts and whole rows that meet a condition, each is meant once', async () => {
  for (const row of [2, 3, 4]) await fail(row);
  expect(await redriven({ outcomes: ['failed'] })).toMatchObject({ count: 2, parts: 2, paying: 2, open: [3, 4] });
});

it('a row in parts that has not ended stays as it is', async () => {
  await endPart(3, 'overdue');
  expect(await redriven({ outcomes: ['overdue'] })).toMatchObject({ ...NOTHING, open: [4] });
});

it('a part that is named besides its row is paid for once', async () => {
  await succeed(3);
  await fail(4);
  expect(await redriven({ rows: ['r1', 'r1#2'] })).toMatchObject({ ...ONE_PAID, open: [4] });
});

it('parts are accepted by their own outcome', async () => {
  await endPart(3, 'unfit');
  await endPart(4, 'failed');
  expect(await redriven({ outcomes: ['unfit'], accept: true })).toMatchObject({
    count: 1,
    parts: 1,
    paying: 0,
    open: [],
  });
  expect((await rowOf(3)).outcome).toBe('succeeded');
});
