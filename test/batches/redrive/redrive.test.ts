import { describe, expect, it } from '@jest/globals';
import { chosenRows, type FoundRow, type FoundRows, type RowEdit } from '../../../batches/redrive/selection.ts';
import { budgetLeftFor, draftRedrive, openRows } from '../../../batches/redrive/redrive.ts';
import type { RedriveDraft } from '../../../batches/redrive/draft.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { LoadedRow } from '../../../ledger/rows/row-records.ts';
import type { Tuning } from '../../../contract/tunables.ts';
import { accept, fail, giveUpWaiting, redrive, RESUBMIT, send, stop } from '../../ledger/actions.ts';
import { batchOf, close, rowOf } from '../../ledger/readings.ts';
import { aBatch, aKey, aRow, fill, ledger, ledgerForEachTest, load, partsOf } from '../../ledger/setup.ts';
import { ANN } from '../../support/ann.ts';

const RULES = { step: null, resubmit: false, replace: false, accept: false, asksForOverdue: false };

ledgerForEachTest();

/** A batch of this many rows that was stopped before any was sent, and the draft that sends them after all. */
async function stopped(count: number, tuning: Tuning = {}): Promise<{ draft: RedriveDraft; rows: FoundRows }> {
  await fill(ledger, count);
  await stop();
  await close();
  const rows = chosenRows(ledger, 'b', { outcomes: ['cancelled'] });
  return { draft: await draftRedrive(ledger, await batchOf(), rows, RULES, tuning), rows };
}

const waiting = async (): Promise<number> => (await ledger.counts('b')).states.waiting;

/** A ledger of which it is known how many rows each redrive opened. */
function watch(): { watched: Pick<Ledger, 'redrive' | 'partsOf' | 'takesOf'>; sizes: readonly number[] } {
  const sizes: number[] = [];
  const redrive: Ledger['redrive'] = (batch, choices) => {
    sizes.push(choices.length);
    return ledger.redrive(batch, choices);
  };
  return { watched: { ...ledger, redrive }, sizes };
}

describe('a redrive', () => {
  it('opens all rows of its draft, in several transactions', async () => {
    const { draft, rows } = await stopped(450);
    const { watched, sizes } = watch();
    expect(await openRows(watched, 'b', draft, rows, ANN)).toEqual({ type: 'opened', opened: 450, movedOn: 0 });
    expect(sizes).toEqual([200, 200, 50]);
    expect(await waiting()).toBe(450);
    expect((await batchOf()).state).toBe('open');
  });

  it('says how many rows had moved on, and leaves them', async () => {
    const { draft, rows } = await stopped(3);
    await redrive(2);
    expect(await openRows(ledger, 'b', draft, rows, ANN)).toEqual({ type: 'opened', opened: 2, movedOn: 1 });
    expect(await openRows(ledger, 'b', draft, rows, ANN)).toEqual({ type: 'opened', opened: 0, movedOn: 3 });
  });

  it('leaves a row that is met again and stands otherwise, and begins no transaction for nothing', async () => {
    const { draft } = await stopped(201);
    const all = chosenRows(ledger, 'b', {});
    await redrive(2);
    const { watched, sizes } = watch();
    expect(await openRows(watched, 'b', draft, all, ANN)).toEqual({ type: 'opened', opened: 200, movedOn: 1 });
    expect(sizes).toEqual([200]);
  });

  it('opens rows before those that make their voices, so that none has moved on and edits are kept', async () => {
    const speaks = { ...aRow(2).spec, voice: 'name:N' };
    await load([aRow(1, 'voice'), { ...aRow(2), spec: speaks, waitsFor: { type: 'made', row: 1 } }]);
    await ledger.giveUp({ ...aKey(1), step: 'voice' }, { outcome: 'failed' });
    const found = chosenRows(ledger, 'b', { outcomes: ['failed'] });
    const edit = { ...speaks, text: 'other words' };
    async function* edited(): AsyncGenerator<FoundRow> {
      for await (const one of found) {
        const { row } = one.scanned;
        const changed: RowEdit = { spec: edit, input: row.input, quoted: 1, from: 'speech' };
        yield row.row === 2 ? { ...one, edit: changed } : one;
      }
    }
    const rows: FoundRows = { [Symbol.asyncIterator]: () => edited() };
    const draft = await draftRedrive(ledger, await batchOf(), rows, RULES);
    expect(await openRows(ledger, 'b', draft, rows, ANN)).toEqual({ type: 'opened', opened: 2, movedOn: 0 });
    expect(await rowOf(2)).toMatchObject({ state: 'blocked', spec: { text: 'other words' } });
  });

  it('prices the rows that go on by themselves with a row that makes their voice', async () => {
    const waits = (row: number): LoadedRow => ({
      ...aRow(row),
      spec: { ...aRow(row).spec, voice: 'name:N' },
      waitsFor: { type: 'made', row: 1 },
    });
    // Row 3 is spoken in parts, which are rows 5 and 6.
    await load([aRow(1, 'voice'), waits(2), { ...waits(3), parts: partsOf(5, 'One.', 'Two.') }, aRow(4)]);
    await ledger.giveUp({ ...aKey(4), step: 'speech' }, { outcome: 'failed' });
    await ledger.giveUp({ ...aKey(1), step: 'voice' }, { outcome: 'failed' });
    const batch = await batchOf();
    const draftOf = (rows: readonly number[]): Promise<RedriveDraft> =>
      draftRedrive(ledger, batch, chosenRows(ledger, 'b', { rows }), RULES);
    const [maker, all] = [await draftOf([1]), await draftOf([1, 2, 3])];
    expect(maker).toMatchObject({ count: 1, dependents: 2, paying: 3 });
    expect(maker.bill.quoted).toBe(all.bill.quoted);
    expect(all).toMatchObject({ count: 3, dependents: 0, paying: 3 });
    expect(await draftOf([2, 4])).toMatchObject({ count: 2, dependents: 0, paying: 2 });
  });

  it('passes on any other error of the ledger', async () => {
    const { draft, rows } = await stopped(1);
    const broken = { ...ledger, redrive: () => Promise.reject(new Error('the disk is full')) };
    await expect(openRows(broken, 'b', draft, rows, ANN)).rejects.toThrow('the disk is full');
  });

  it('answers in the words of a ledger that refuses, with what was opened before', async () => {
    const { draft, rows } = await stopped(250);
    let calls = 0;
    const stoppedMeanwhile: Pick<Ledger, 'redrive' | 'partsOf' | 'takesOf'> = {
      ...ledger,
      redrive: async (batch, choices) => {
        if (++calls === 2) await ledger.setControl('b', 'stopping');
        return ledger.redrive(batch, choices);
      },
    };
    expect(await openRows(stoppedMeanwhile, 'b', draft, rows, ANN)).toEqual({
      type: 'refused',
      opened: 200,
      why: expect.stringContaining('being stopped'),
    });
  });

  describe('of a row that left a paid job unfetched for a take that failed', () => {
    /** Take 1 is overdue, and a person paid for take 2, which failed. */
    async function failAgain(edited = false): Promise<RedriveDraft> {
      await fill(ledger, 1);
      await accept(1);
      await giveUpWaiting(1);
      const { spec, input, quoted } = aRow(1);
      await redrive(1, { ...RESUBMIT, ...(edited && { edited: { spec, input, quoted } }) });
      await fail(aKey(1, 1, 2));
      return draftFailed();
    }

    async function draftFailed(resubmit = false): Promise<RedriveDraft> {
      const rows = chosenRows(ledger, 'b', { outcomes: ['failed'] });
      return draftRedrive(ledger, await batchOf(), rows, { ...RULES, resubmit });
    }

    it('names the take whose result can be fetched free, and pays for nothing', async () => {
      const draft = await failAgain();
      expect(draft.refused).toMatchObject([{ why: 'running', step: 'speech', leftTake: 1 }]);
      expect(draft.count).toBe(0);
    });

    it('pays with --resubmit, and says that it may be a second charge', async () => {
      await failAgain();
      expect(await draftFailed(true)).toMatchObject({ count: 1, resubmitted: 1 });
    });

    it('pays where the row was edited since: that job made something else', async () => {
      const draft = await failAgain(true);
      expect(draft.refused).toEqual([]);
      expect(draft.count).toBe(1);
    });
  });

  it.each<[string, number | null, Tuning, number | null]>([
    ['as it is', 10, {}, 7.5],
    ['as it will be', 10, { budget: 5 }, 2.5],
    ['taken away', 10, { budget: null }, null],
    ['that there is none of', null, {}, null],
  ])('tells what is left of a budget %s', async (_, budget, tuning, left) => {
    await fill(ledger, 1);
    await send(1);
    const { settings } = aBatch();
    expect(await budgetLeftFor(ledger, { name: 'b', settings: { ...settings, budget } }, tuning)).toBe(left);
  });

  it('counts against the budget as it will be, and costs nothing to draft', async () => {
    const { draft } = await stopped(4, { budget: 6 });
    expect(draft.bill).toMatchObject({ affordable: expect.objectContaining({ rows: 2 }) });
    expect(draft.count).toBe(4);
    expect(await waiting()).toBe(0);
  });
});
