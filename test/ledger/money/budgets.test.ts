import { describe, expect, it } from '@jest/globals';
import { accept, ask, finish, send, WAITING } from '../actions.ts';
import { batchOf, money } from '../readings.ts';
import { aBatch, aDub, aKey, aRow, ledger, ledgerForEachTest, load, partsOf, upTo } from '../setup.ts';
import { underBudget } from './budget-steps.ts';

ledgerForEachTest();

const TEN = upTo(10).map(() => 2.5);

describe('the budget', () => {
  it('holds exactly, and ends what can never fit as skipped', () =>
    underBudget(7.5, TEN, '1-3 accepted, 4 over-budget, 4-10 skipped'));

  it('counts what is on the wire, and waits for it', () =>
    underBudget(5, TEN, '1-2 go, 3 short, 1 rejected, 3 go, 4-10 open'));

  it('counts unknown requests and figures of the API', () =>
    underBudget(10, TEN, '1 go, 1 unknown, 2 accepted at 6, 3 over-budget'));

  it('lets a cheaper row through after a dear one was skipped', () => underBudget(5, [9, 2.5], '1 over-budget, 2 go'));

  it('can be raised while the batch runs', () => underBudget(2.5, TEN, '1 accepted, budget 5, 2 go'));

  it('counts the quote of a job that has cost nothing yet: it may be billed when it ends', () =>
    underBudget(5, TEN, '1-2 accepted at 0, charged about 5, 3 over-budget, 1 ended at 2, 2 ended at 0, charged 2'));

  it('follows a figure that changes when the job ends', () =>
    underBudget(10, TEN, '1 accepted, 1 ended at 8.1, 2 over-budget, charged 8.1'));

  it('holds nothing back where there is none, priced or not', () =>
    underBudget(null, [[5, 5], null], '1-2 go, reserved 5'));

  it('keeps back what later steps of a begun row cost', async () => {
    await load([aDub(1), aDub(2)], { settings: { budget: 10 } });
    const lipSync = aKey(1, 1, 1, 'lip-sync');
    await accept(1, {}, { quotedRest: 6 });
    expect(await money()).toMatchObject({ charged: 2.5, reserved: 6 });
    // Nor is it given to a step whose turn has not come.
    expect(await ask(lipSync, { quoted: 6 })).toBe('blocked');
    expect(await ask(2)).toBe('over-budget');
    await finish(1, {}, WAITING);
    await send(lipSync, { quoted: 6 });
    expect(await money()).toMatchObject({ charged: 2.5, reserved: 6 });
  });
});

describe('a request that just fits', () => {
  it('goes, whatever binary fractions make of its price', () => underBudget(0.3, [0.1, 0.2], '1-2 go'));

  it('goes where its own promise was all that is left', () =>
    underBudget(5, [[2, 3], 0.5], '1 go, 2 short, 1 refused, 1 go'));

  it('goes once the row that held something back has ended', () =>
    underBudget(5, [[2, 3], 5], '1 go, 1 rejected, 2 go'));

  it('waits, rather than being skipped, as long as one on the wire may come to nothing', () =>
    underBudget(5, [3, 3], '1 go, 2 short, 1-2 open, 1 unknown, 2 over-budget'));
});

describe('requests in flight that nobody has set', () => {
  const submitsOf = async (): Promise<number> => (await batchOf()).settings.limits.submits;

  it('follow from the rows that were chosen, until somebody sets them', async () => {
    const rows = upTo(12).map((row) => ({ ...aRow(row), isNotChosen: row > 5 }));
    await load(rows, { settings: { submitsByRows: true }, subset: { type: 'limit', rows: 5 } });
    expect(await submitsOf()).toBe(2);
    await ledger.tune('b', { limits: { rate: 3 } });
    await ledger.openUnsent('b', null, [6, 7, 8, 9, 10, 11, 12]);
    expect(await submitsOf()).toBe(3);
    await ledger.tune('b', { limits: { submits: 8 } });
    expect(await submitsOf()).toBe(8);
  });

  it('count the parts of a row, for each is a request', async () => {
    await load([{ ...aRow(1), parts: partsOf(2, ...upTo(40).map(String)) }], { settings: { submitsByRows: true } });
    expect(await submitsOf()).toBe(8);
  });
});

it('tune changes what is given, keeps the rest, and loses nothing of two at once', async () => {
  await load(1);
  const changes = [{ limits: { rate: 5 } }, { limits: { window: 7 } }, { retakes: 2 }];
  await Promise.all(changes.map((change) => ledger.tune('b', change)));
  const { nameTemplate, limits } = aBatch().settings;
  const changed = {
    limits: { ...limits, rate: 5, window: 7 },
    budget: null,
    halt: { when: 'never' },
    onUnknown: 'hold',
  };
  expect(await ledger.tune('b', {})).toMatchObject({ ...changed, retakes: 2 });
  expect((await batchOf()).settings).toMatchObject({ ...changed, nameTemplate });
});
