import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptKey } from '../../../contract/batch.ts';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { sizeOf } from '../../../policy/money/charge-ratio.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest } from '../setup.ts';

/** A budget whose quotes are wrong: the API tells the real price only when a job ends. */

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

interface Filled {
  readonly rows: number;
  readonly budget: number | null;
  readonly name?: string;
  /** The prices are estimates, not stated by the user. Default false. */
  readonly isEstimate?: boolean;
}

async function fill({ rows, budget, name = 'b', isEstimate = false }: Filled): Promise<void> {
  const batch = aBatch(name);
  const prices = isEstimate ? BUILT_IN_PRICES : batch.settings.prices;
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, prices, budget } });
  await ledger.addRows(
    name,
    Array.from({ length: rows }, (_, index) => ({ ...aRow(index + 1), quoted: 10 })),
  );
  await ledger.openBatch(name, rows);
}

const keyIn = (name: string, row: number): AttemptKey => ({ ...aKey(row), batch: name });

async function ask(row: number, quoted = 10, name = 'b'): Promise<string> {
  return (await ledger.intend(keyIn(name, row), { ...INTENT, maxSending: 256, quoted })).type;
}

/** Accepted at a price of 0, as such an API says. */
async function accept(row: number, name = 'b'): Promise<void> {
  const verdict = { verdict: 'accepted', jobId: `${name}${String(row)}`, credits: 0 } as const;
  await ledger.settle(keyIn(name, row), verdict, { state: 'processing' });
}

async function end(row: number, credits: number | undefined, name = 'b'): Promise<void> {
  const told = credits === undefined ? {} : { credits };
  await ledger.finishJob(keyIn(name, row), told, { outcome: 'succeeded' });
}

const chargedIn = async (name = 'b'): Promise<number> => (await ledger.money(name)).charged;

describe('an API that charges more than was quoted', () => {
  it('is held to the budget by the worst charge so far: open jobs count with it', async () => {
    await fill({ rows: 30, budget: 300 });
    expect(await ask(1)).toBe('go');
    await accept(1);
    await end(1, 50);
    // 50 are charged, and each further job may be: five fit.
    for (const row of [2, 3, 4, 5, 6]) {
      expect(await ask(row)).toBe('go');
      await accept(row);
    }
    expect(await ask(7)).toBe('short');
    for (const row of [2, 3, 4, 5, 6]) await end(row, 50);
    expect(await ask(7)).toBe('over-budget');
    expect(await chargedIn()).toBe(300);
    expect((await ledger.readRow('b', 7))?.row.failure?.message).toBe(
      'Not sent: it would exceed the budget of 300 credits (300 spent or reserved, this row costs 10, and up to 50 at what was charged before). Nothing was charged.',
    );
    // And so do all the others like it.
    expect((await ledger.counts('b')).outcomes.skipped).toBe(24);
  });

  it('of another dialect, and so by another operation, leaves rows to be sent that fit', async () => {
    const batch = aBatch();
    await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget: 320 } });
    const rowIn = (row: number, dialect?: 'legacy') => ({
      ...aRow(row),
      quoted: 10,
      spec: { ...aRow(row).spec, ...(dialect === undefined ? {} : { dialect }) },
    });
    await ledger.addRows('b', [rowIn(1, 'legacy'), rowIn(2, 'legacy'), rowIn(3), rowIn(4), rowIn(5, 'legacy')]);
    await ledger.openBatch('b', 5);
    expect(await ask(1)).toBe('go');
    await ledger.settle(keyIn('b', 1), { verdict: 'done', credits: 200 }, { outcome: 'succeeded' });
    expect(await ask(2)).toBe('over-budget');
    expect((await ledger.counts('b')).outcomes.skipped).toBe(2);
    expect((await ledger.readRow('b', 5))?.row.outcome).toBe('skipped');
    for (const row of [3, 4]) expect(await ask(row)).toBe('go');
  });

  it('goes on with the row that waited once the open ones have cost less', async () => {
    await fill({ rows: 4, budget: 110 });
    for (const row of [1, 2]) {
      expect(await ask(row)).toBe('go');
      await accept(row);
    }
    await end(1, 50);
    expect(await ask(3)).toBe('short');
    await end(2, 5);
    expect(await ask(3)).toBe('go');
  });

  it('counts what is in doubt with the worst, too, and does not wait for it', async () => {
    await fill({ rows: 4, budget: 120 });
    for (const row of [1, 2]) expect(await ask(row)).toBe('go');
    await accept(1);
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    await end(1, 50);
    expect(await ask(3)).toBe('over-budget');
  });

  it('does not wait for a job that nobody waits for any longer', async () => {
    await fill({ rows: 4, budget: 120 });
    for (const row of [1, 2]) {
      expect(await ask(row)).toBe('go');
      await accept(row);
    }
    await ledger.changeRunning(aKey(2), { outcome: 'overdue' });
    await end(1, 50);
    expect(await ask(3)).toBe('over-budget');
  });

  it('is known from the account’s last batches under a budget at that price', async () => {
    await fill({ rows: 1, budget: 100, name: 'before', isEstimate: true });
    expect(await ask(1, 10, 'before')).toBe('go');
    await accept(1, 'before');
    await end(1, 50, 'before');
    await fill({ rows: 10, budget: 100, isEstimate: true });
    for (const row of [1, 2]) {
      expect(await ask(row)).toBe('go');
      await accept(row);
    }
    expect(await ask(3)).toBe('short');
  });

  it('is known from the batch itself if its budget came late', async () => {
    await fill({ rows: 4, budget: null });
    for (const row of [1, 2]) {
      expect(await ask(row)).toBe('go');
      await accept(row);
    }
    await end(1, 50);
    await ledger.tune('b', { budget: 140 });
    expect(await ask(3)).toBe('short');
  });

  it('counts a job that was announced as cheaper with its quote until it ends', async () => {
    await fill({ rows: 4, budget: 25 });
    for (const row of [1, 2]) {
      expect(await ask(row)).toBe('go');
      const verdict = { verdict: 'accepted', jobId: `j${String(row)}`, credits: 1 } as const;
      await ledger.settle(keyIn('b', row), verdict, { state: 'processing' });
    }
    expect(await ask(3)).toBe('short');
    await end(1, undefined);
    expect(await ask(3)).toBe('go');
  });

  it('counts such a job with the worst charge once one has ended', async () => {
    await fill({ rows: 4, budget: 105 });
    for (const row of [1, 2]) {
      expect(await ask(row)).toBe('go');
      const verdict = { verdict: 'accepted', jobId: `j${String(row)}`, credits: 1 } as const;
      await ledger.settle(keyIn('b', row), verdict, { state: 'processing' });
    }
    await end(1, 50);
    expect(await ask(3)).toBe('short');
    await end(2, 5);
    expect(await ask(3)).toBe('go');
  });

  it('says nothing of another operation: speech at once has prices of its own', async () => {
    await fill({ rows: 2, budget: 1_000 });
    await ledger.createBatch({ ...aBatch('mixed'), settings: { ...aBatch().settings, budget: 60 } });
    const spec = aRow(2).spec;
    await ledger.addRows('mixed', [aRow(1), { ...aRow(2), spec: { ...spec, dialect: 'legacy' } }]);
    await ledger.openBatch('mixed', 2);
    expect(await ask(1, 10, 'mixed')).toBe('go');
    await accept(1, 'mixed');
    await end(1, 50, 'mixed');
    expect(await ask(2, 10, 'mixed')).toBe('go');
  });

  it('is the same after a request that was quoted at nothing', async () => {
    await fill({ rows: 4, budget: 20 });
    expect(await ask(1, 0)).toBe('go');
    await accept(1);
    await end(1, 12);
    expect(await ask(2, 0)).toBe('over-budget');
  });
});

describe('prices that are estimates', () => {
  it('let two requests go under a budget, until one has ended and told its charge', async () => {
    await fill({ rows: 5, budget: 1_000, isEstimate: true });
    expect([await ask(1), await ask(2), await ask(3)]).toEqual(['go', 'go', 'short']);
    for (const row of [1, 2]) await accept(row);
    expect(await ask(3)).toBe('short');
    await end(1, 10);
    expect([await ask(3), await ask(4), await ask(5)]).toEqual(['go', 'go', 'go']);
  });

  it('are told of as long as they hold up the batch', async () => {
    await fill({ rows: 5, budget: 1_000, isEstimate: true });
    expect(await ledger.untoldSteps('b')).toEqual([]);
    await ask(1);
    expect(await ledger.untoldSteps('b')).toEqual(['speech']);
    await accept(1);
    await end(1, 10);
    expect(await ledger.untoldSteps('b')).toEqual([]);
  });

  it('let all go once three have ended and the API has told nothing', async () => {
    await fill({ rows: 7, budget: 1_000, isEstimate: true });
    for (const row of [1, 2, 3]) {
      expect(await ask(row)).toBe('go');
      const verdict = { verdict: 'accepted', jobId: `j${String(row)}` } as const;
      await ledger.settle(aKey(row), verdict, { state: 'processing' });
      await end(row, undefined);
    }
    for (const row of [4, 5, 6, 7]) expect(await ask(row)).toBe('go');
  });

  it('are not waited for by a job that is stuck, or in doubt', async () => {
    await fill({ rows: 5, budget: 1_000, isEstimate: true });
    expect([await ask(1), await ask(2)]).toEqual(['go', 'go']);
    await accept(1);
    await ledger.changeRunning(aKey(1), { outcome: 'overdue' });
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    expect([await ask(3), await ask(4), await ask(5)]).toEqual(['go', 'go', 'short']);
  });

  it('hold up nothing without a budget', async () => {
    await fill({ rows: 5, budget: null, isEstimate: true });
    for (const row of [1, 2, 3, 4, 5]) expect(await ask(row)).toBe('go');
  });

  it('keep a second chain from its first step until the last step of one has ended', async () => {
    const batch = aBatch();
    await ledger.createBatch({ ...batch, settings: { ...batch.settings, prices: BUILT_IN_PRICES, budget: 1_000 } });
    await ledger.addRows('b', [aRow(1, 'dub'), aRow(2, 'dub')]);
    await ledger.openBatch('b', 2);
    const chain = { ...INTENT, quoted: 2, quotedRest: 8 };
    const lipSync = aKey(1, 1, 1, 'lip-sync');
    expect(await ledger.intend(aKey(1), chain)).toMatchObject({ type: 'go' });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 's' }, { state: 'processing' });
    await ledger.finishJob(aKey(1), { credits: 2 }, { state: 'waiting' });
    expect(await ledger.intend(aKey(2), chain)).toMatchObject({ type: 'short' });
    expect(await ledger.intend(lipSync, { ...INTENT, quoted: 8 })).toMatchObject({ type: 'go' });
    await ledger.settle(lipSync, { verdict: 'accepted', jobId: 'l' }, { state: 'processing' });
    await ledger.finishJob(lipSync, { credits: 8 }, { outcome: 'succeeded' });
    expect(await ledger.intend(aKey(2), chain)).toMatchObject({ type: 'go' });
  });
});

/** A request of the property: when it asks, what it is quoted at, and what it will be charged. */
const aRequest = fc.record({
  quoted: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 200 })),
  charge: fc.integer({ min: 0, max: 100 }),
  /** How many open requests end before it asks. */
  ends: fc.nat(4),
  isUnknown: fc.boolean(),
});

describe('the limit of the promise', () => {
  it('is what the requests open at the last one sent are charged beyond what was known then', async () => {
    let batches = 0;
    const runs = fc.asyncProperty(
      fc.array(aRequest, { minLength: 1, maxLength: 15 }),
      fc.integer({ min: 1, max: 300 }),
      fc.boolean(),
      async (requests, budget, isEstimate) => {
        const name = `p${String(++batches)}`;
        // Of an account of its own: no batch before tells this one anything.
        const batch = { ...aBatch(name), account: name };
        const prices = isEstimate ? BUILT_IN_PRICES : batch.settings.prices;
        await ledger.createBatch({ ...batch, settings: { ...batch.settings, prices, budget } });
        await ledger.addRows(
          name,
          requests.map((_, index) => aRow(index + 1)),
        );
        await ledger.openBatch(name, requests.length);
        const told: { readonly quoted: number; readonly ratio: number }[] = [];
        let dearest = 0;
        let open: number[] = [];
        let excess = 0;
        const requestOf = (row: number): (typeof requests)[number] =>
          requests[row - 1] ?? { quoted: 0, charge: 0, ends: 0, isUnknown: false };
        const endOne = async (): Promise<void> => {
          const [row] = open;
          if (row === undefined) return;
          open = open.slice(1);
          const { charge, quoted, isUnknown } = requestOf(row);
          if (isUnknown) return;
          await end(row, charge, name);
          if (quoted > 0) told.push({ quoted, ratio: charge / quoted });
          else dearest = Math.max(dearest, charge);
        };
        for (const [index, { quoted, ends, isUnknown }] of requests.entries()) {
          for (let n = 0; n < ends; n++) await endOne();
          const row = index + 1;
          if ((await ask(row, quoted, name)) !== 'go') continue;
          const verdict = isUnknown ? ({ verdict: 'unknown' } as const) : undefined;
          if (verdict === undefined) await accept(row, name);
          else await ledger.settle(keyIn(name, row), verdict, { outcome: 'unknown' });
          open.push(row);
          excess = open.reduce((sum, one) => {
            const { charge, quoted: asQuoted, isUnknown: isLost } = requestOf(one);
            const beyond = told.map((one) => (one.ratio - 1) * Math.min(asQuoted, sizeOf(one.quoted)));
            const counted = asQuoted > 0 ? asQuoted + Math.max(0, ...beyond) : dearest;
            return sum + (isLost ? 0 : Math.max(0, charge - counted));
          }, 0);
        }
        while (open.length > 0) await endOne();
        expect((await chargedIn(name)) - budget).toBeLessThanOrEqual(excess + 1e-6);
      },
    );
    await fc.assert(runs, { numRuns: scaleRuns(60) });
  });
});
