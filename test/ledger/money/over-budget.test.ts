import { describe, expect, it } from '@jest/globals';
import { parseHalt } from '../../../contract/halt.ts';
import type { Outcome } from '../../../contract/outcomes.ts';
import type { Kind } from '../../../contract/row-kinds.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** Which rows a budget that is used up ends, and in which words; and what counts as used up, to the last credit. */

let ledger: Ledger;

async function fillPriced(
  prices: readonly (number | null)[],
  budget: number | null,
  kind: Kind = 'tts',
): Promise<void> {
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget } });
  await ledger.addRows(
    'b',
    prices.map((quoted, index) => ({ ...aRow(index + 1, kind), quoted })),
  );
  await ledger.openBatch('b', prices.length);
}

ledgerForEachTest((made) => {
  ledger = made;
});

const ask = async (row: number, quoted: number | null, quotedRest: number | null = 0, take = 1): Promise<string> =>
  (await ledger.intend(aKey(row, 1, take), { ...INTENT, quoted, quotedRest })).type;

async function outcomes(): Promise<(Outcome | null)[]> {
  const all: (Outcome | null)[] = [];
  for await (const { row } of ledger.scanRows('b')) all.push(row.outcome);
  return all;
}

const messageOf = async (row: number): Promise<string | undefined> =>
  (await ledger.readRow('b', row))?.row.failure?.message;

const NO = { class: 'JobFailed', message: 'No.' } as const;

/** The job of this row's speech fails, which is charged, and the row is to have a retake. */
async function failJob(row: number, quoted: number, quotedRest = 0): Promise<void> {
  expect(await ask(row, quoted, quotedRest)).toBe('go');
  await ledger.settle(aKey(row), { verdict: 'accepted', jobId: 'j', credits: quoted }, { state: 'processing' });
  const otherwise = { outcome: 'failed', failure: NO } as const;
  await ledger.finishJob(aKey(row), { failure: NO }, { retake: 'speech', reason: 'retake', most: 2, otherwise });
}

describe('a row that does not fit', () => {
  it('takes with it the untouched rows that cost more than is left, and no others', async () => {
    await fillPriced([4, 6, 7, 6.5, 6, 3, null, 9], 10);
    await ledger.giveUp(aKey(8), { outcome: 'cancelled' });
    expect(await ask(1, 4)).toBe('go');
    expect(await ask(4, 6, 0.25)).toBe('short');
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await ask(5, 6.5)).toBe('over-budget');
    expect(await outcomes()).toEqual([null, null, 'skipped', 'skipped', 'skipped', null, null, 'cancelled']);
    expect(await ask(6, 3)).toBe('go');
  });

  it('spares a row that was sent, has another take, or is being sent', async () => {
    await fillPriced([9, 9, 9, 9], 10);
    expect(await ask(1, 1)).toBe('go');
    await ledger.settle(aKey(1), { verdict: 'not-accepted' }, { state: 'waiting' });
    await ledger.giveUp(aKey(2), { outcome: 'failed' });
    await redriveNow(ledger, 'b', [{ row: 2, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await ask(3, 0)).toBe('go');
    expect(await ask(4, 2)).toBe('go');
    await ledger.settle(aKey(4), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await ask(2, 9, 0, 2)).toBe('over-budget');
    expect(await outcomes()).toEqual([null, 'skipped', null, null]);
  });

  it('says what the row has cost before', async () => {
    await fillPriced([8], 10, 'dub');
    expect(await ask(1, 4, 4)).toBe('go');
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j', credits: 7 }, { state: 'processing' });
    await ledger.finishJob(aKey(1), {}, { state: 'waiting' });
    const intent = { ...INTENT, quoted: 4, quotedRest: 0 };
    expect(await ledger.intend(aKey(1, 1, 1, 'lip-sync'), intent)).toMatchObject({ type: 'over-budget' });
    expect(await messageOf(1)).toContain('this row costs 4). The row has cost 7 before.');
  });

  it('ends as its job had failed, if it is the retake of that which does not fit', async () => {
    await fillPriced([3], 5);
    await failJob(1, 3);
    expect(await ask(1, 3, 0, 2)).toBe('over-budget');
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({
      outcome: 'failed',
      failure: {
        ...NO,
        message:
          'No. Not sent again: it would exceed the budget of 5 credits (3 spent or reserved, this row costs 3). The row has cost 3 before.',
      },
    });
    expect(await ledger.skippedQuotes('b')).toMatchObject({ overBudget: 0 });
    await redriveNow(ledger, 'b', [{ row: 1, take: 2, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await ask(1, 3, 0, 3)).toBe('over-budget');
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'skipped', failure: { class: 'OverBudget' } });
    expect(await messageOf(1)).toMatch(/^Not sent again: .+ The row has cost 3 before\.$/);
  });

  it('counts for --halt as a failed row, if it ends as one', async () => {
    await fillPriced([3, 1], 5);
    const halt = parseHalt('soon,fail=1');
    await ledger.tune('b', halt === undefined ? {} : { halt });
    await failJob(1, 3);
    expect((await ledger.findBatch('b'))?.halted).toBeNull();
    expect(await ask(1, 3, 0, 2)).toBe('over-budget');
    expect((await ledger.findBatch('b'))?.halted).toContain('1 row failed');
  });

  describe('because a request in doubt is to be sent again', () => {
    const LOST = { class: 'OutcomeUnknown', message: 'Lost.' } as const;
    const unknown = { outcome: 'unknown', failure: LOST } as const;
    const RESUBMITTED = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    const NOT_SENT = 'Not sent again: it would exceed the budget of 3 credits (2 spent or reserved, this row costs 2).';

    async function lose(end: Parameters<Ledger['settle']>[2]): Promise<void> {
      await fillPriced([2], 3);
      expect(await ask(1, 2)).toBe('go');
      await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, end);
    }

    it('is unknown as before, and may still be given its job', async () => {
      await lose({ retake: 'speech', reason: 'on-unknown', most: 2, otherwise: unknown });
      expect(await ask(1, 2, 0, 2)).toBe('over-budget');
      const { row, charges } = (await ledger.readRow('b', 1)) ?? {};
      expect(row).toMatchObject({ outcome: 'unknown', take: 1, redoFrom: null, failure: { class: 'OutcomeUnknown' } });
      expect(row?.failure?.message).toBe(`Lost. ${NOT_SENT}`);
      expect(charges).toMatchObject([{ state: 'unknown', take: 1 }]);
      expect(await ledger.takesOf('b', 1)).toEqual([]);
      expect(await ledger.decide(aKey(1), { type: 'adopted', jobId: 'j', who: 'me' })).toBe(true);
      expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: null, state: 'processing' });
    });

    it('is unknown as before, if a person said so, and once there is room it is sent', async () => {
      await lose(unknown);
      const again = [{ row: 1, take: 1, outcome: 'unknown', how: RESUBMITTED }] as const;
      await ledger.redrive('b', again);
      expect(await ask(1, 2, 0, 2)).toBe('over-budget');
      await ledger.redrive('b', again);
      expect(await ask(1, 2, 0, 2)).toBe('over-budget');
      expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'unknown', take: 1 });
      expect(await messageOf(1)).toBe(`Lost. ${NOT_SENT}`);
      await ledger.tune('b', { budget: 4 });
      await ledger.redrive('b', again);
      expect(await ask(1, 2, 0, 2)).toBe('go');
    });

    it('is overdue as before, and may still be waited for, if its job ran', async () => {
      await fillPriced([2], 3);
      expect(await ask(1, 2)).toBe('go');
      await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
      await ledger.changeRunning(aKey(1), { outcome: 'overdue', failure: { class: 'Overdue', message: 'Late.' } });
      await ledger.redrive('b', [{ row: 1, take: 1, outcome: 'overdue', how: RESUBMITTED }]);
      expect(await ask(1, 2, 0, 2)).toBe('over-budget');
      expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'overdue', take: 1 });
    });

    it('is skipped if the new take had a request that was refused, and says that it may have been charged', async () => {
      await lose({ retake: 'speech', reason: 'on-unknown', most: 2, otherwise: unknown });
      await ledger.tune('b', { budget: 4 });
      expect(await ask(1, 2, 0, 2)).toBe('go');
      await ledger.settle(aKey(1, 1, 2), { verdict: 'not-accepted' }, { state: 'waiting' });
      await ledger.tune('b', { budget: 3 });
      expect((await ledger.intend(aKey(1, 2, 2), { ...INTENT, quoted: 2, quotedRest: 0 })).type).toBe('over-budget');
      expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'skipped', take: 2 });
      expect(await messageOf(1)).toBe(`${NOT_SENT} An earlier request may have been charged.`);
    });
  });

  it('is skipped where its retake was paid for in part', async () => {
    await fillPriced([6], 9, 'dub');
    await failJob(1, 2, 1);
    expect(await ask(1, 2, 1, 2)).toBe('go');
    await ledger.settle(aKey(1, 1, 2), { verdict: 'accepted', jobId: 'k', credits: 5 }, { state: 'processing' });
    await ledger.finishJob(aKey(1, 1, 2), {}, { state: 'waiting' });
    const intent = { ...INTENT, quoted: 4, quotedRest: 0 };
    expect(await ledger.intend(aKey(1, 1, 2, 'lip-sync'), intent)).toMatchObject({ type: 'over-budget' });
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'skipped', failure: { class: 'OverBudget' } });
  });

  it('says thousands as elsewhere', async () => {
    await fillPriced([12_345.5], 10_400);
    expect(await ask(1, 12_345.5)).toBe('over-budget');
    expect(await messageOf(1)).toContain('the budget of 10,400 credits (0 spent or reserved, this row costs 12,345.5)');
  });

  it('that keeps a result which did not pass says why it had no further take, however often it is tried', async () => {
    await fillPriced([3], 5);
    expect(await ask(1, 3)).toBe('go');
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j', credits: 3 }, { state: 'processing' });
    const failure = { class: 'Unfit', message: 'It is silent.' } as const;
    const file = { key: 'b/1.mp3', bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3' };
    const otherwise = { outcome: 'unfit', failure, file } as const;
    await ledger.finishJob(aKey(1), { file, failure }, { retake: 'speech', reason: 'retake', most: 2, otherwise });
    expect(await ask(1, 3, 0, 2)).toBe('over-budget');
    const words =
      'It is silent. No further take: it would exceed the budget of 5 credits (3 spent or reserved, this row costs 3).';
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({
      outcome: 'unfit',
      file,
      failure: { class: 'Unfit', message: words },
    });
    await redriveNow(ledger, 'b', [{ row: 1, take: 2, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await ask(1, 3, 0, 3)).toBe('over-budget');
    expect(await messageOf(1)).toBe(words);
  });

  it('says so in credits', async () => {
    await fillPriced([3, 3.3, 8], 5.1);
    expect(await ask(1, 1.1, 1)).toBe('go');
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await ask(2, 2.2, 1.1)).toBe('over-budget');
    expect(await messageOf(2)).toBe(
      'Not sent: it would exceed the budget of 5.1 credits (2.1 spent or reserved, this row costs 3.3). Nothing was charged.',
    );
    expect(await messageOf(3)).toBe(
      'Not sent: it would exceed the budget of 5.1 credits (2.1 spent or reserved). Nothing was charged.',
    );
    const row = (await ledger.readRow('b', 3))?.row;
    expect(row?.endedAt).toBeGreaterThan(1_700_000_000_000);
    expect(row?.failure?.class).toBe('OverBudget');
  });

  it.each([
    [null, 0],
    [1, null],
  ])('is also one whose price is not known (%j and %j)', async (quoted, rest) => {
    await fillPriced([null], 100);
    expect(await ask(1, quoted, rest)).toBe('over-budget');
    expect(await messageOf(1)).toContain('(0 spent or reserved');
  });
});

describe('a request that just fits', () => {
  it('goes, whatever binary fractions make of its price', async () => {
    await fillPriced([0.1, 0.2], 0.3);
    expect(await ask(1, 0.1)).toBe('go');
    expect(await ask(2, 0.2)).toBe('go');
  });

  it('goes where its own promise was all that is left', async () => {
    await fillPriced([5, 5], 5);
    expect(await ask(1, 2, 3)).toBe('go');
    expect(await ask(2, 0.5)).toBe('short');
    await ledger.settle(aKey(1), { verdict: 'not-accepted' }, { state: 'waiting' });
    expect((await ledger.intend(aKey(1, 2), { ...INTENT, quoted: 2, quotedRest: 3 })).type).toBe('go');
  });

  it('goes once the row that held something back has ended', async () => {
    await fillPriced([5, 5], 5);
    expect(await ask(1, 2, 3)).toBe('go');
    await ledger.settle(aKey(1), { verdict: 'rejected' }, { outcome: 'failed' });
    expect(await ask(2, 5)).toBe('go');
  });

  it('waits, rather than being skipped, as long as one on the wire may come to nothing', async () => {
    await fillPriced([3, 3], 5);
    expect(await ask(1, 3)).toBe('go');
    expect(await ask(2, 3)).toBe('short');
    expect(await outcomes()).toEqual([null, null]);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    expect(await ask(2, 3)).toBe('over-budget');
  });
});

describe('without a budget', () => {
  it('nothing is held back, priced or not', async () => {
    await fillPriced([5, null], null);
    expect(await ask(1, 5, 5)).toBe('go');
    expect(await ask(2, null, null)).toBe('go');
    expect(await ledger.money('b')).toMatchObject({ reserved: 5 });
  });
});

describe('the first request of a batch', () => {
  it('is when it started, and stays so', async () => {
    await fillPriced([1, 1], null);
    expect((await ledger.findBatch('b'))?.startedAt).toBeNull();
    await ask(1, 1);
    const startedAt = (await ledger.findBatch('b'))?.startedAt ?? 0;
    expect(startedAt).toBeGreaterThan(1_700_000_000_000);
    while (Date.now() <= startedAt) await ledger.counts('b');
    await ask(2, 1);
    expect((await ledger.findBatch('b'))?.startedAt).toBe(startedAt);
  });

  it('is recorded with its price, its owner and the hash of its link', async () => {
    await fillPriced([1], null);
    await ledger.intend(aKey(1), { ...INTENT, linkHash: 'c'.repeat(64) });
    const found = await ledger.readRow('b', 1);
    expect(found?.charges).toMatchObject([{ quoted: 2.5, owner: 'w1', linkHash: 'c'.repeat(64), state: 'sending' }]);
    expect(found?.row.state).toBe('submitting');
  });
});
