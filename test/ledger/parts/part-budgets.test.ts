/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scaleRuns } from '../../support/property-runs.ts';
import { answer, ask, FAILED, FILE, finish, JOB_FAILED, redrive, send, settle, UNFIT, WAITING } from '../actions.ts';
import { chargesOf, kept, messageOf, money, rowOf } from '../readings.ts';
import { aKey, aRow, ledger, ledgerForEachTest, load, partsOf } from '../setup.ts';

/** Row 1 is spoken in parts, 3, 4 and 5, of 1 credit each. Row 2 is whole, and costs 2.5. */
const PARTS = [3, 4, 5];
const ONE = { quoted: 1 };

ledgerForEachTest();

async function loadUnder(budget: number): Promise<void> {
  const whole = { ...aRow(1), quoted: 3, parts: partsOf(3, 'One.', 'Two.', 'Three.') };
  await load([whole, aRow(2)], { settings: { budget } });
}

async function accept(row: number): Promise<void> {
  await send(row, ONE);
  await answer(row);
}

async function refuseVoice(row: number): Promise<void> {
  const refusal = { class: 'BadRequest', message: 'The voice is not ready.' } as const;
  await settle(row, { verdict: 'not-accepted', failure: refusal }, { refusedVoice: 'v', refusal });
}

describe('a row in parts under a budget', () => {
  it.each(PARTS)(
    'is skipped whole, unpaid, if there is no room for all its parts, asked for part %i first',
    async (row) => {
      await loadUnder(2);
      expect(await ask(row, ONE)).toBe('over-budget');
      expect(await rowOf(1)).toMatchObject({ outcome: 'skipped', failure: { class: 'OverBudget' } });
      expect(await messageOf(1)).toContain('its 3 unsent parts cost 3). Nothing was charged.');
      expect(await money()).toMatchObject({ charged: 0, reserved: 0 });
      expect(await ledger.skippedQuotes('b')).toMatchObject({ overBudget: 5.5 });
      for (const part of PARTS) expect(await ask(part, ONE)).toBe('blocked');
    },
  );

  it('keeps room for its parts once one is sent, also while a refused one waits to be sent again', async () => {
    await loadUnder(4);
    await send(4, ONE);
    expect(await money()).toMatchObject({ reserved: 3 });
    await settle(4, { verdict: 'not-accepted' }, WAITING);
    expect(await money()).toMatchObject({ reserved: 3 });
    expect(await ask(2)).toBe('over-budget');
    await send(aKey(4, 2), ONE);
    for (const row of [3, 5]) await accept(row);
    expect(await money()).toMatchObject({ charged: 2, reserved: 1 });
  });

  it('gives back what a part that ended no longer needs', async () => {
    await loadUnder(5.5);
    await accept(3);
    await ledger.giveUp(aKey(4), FAILED);
    expect(await money()).toMatchObject({ charged: 1, reserved: 1 });
  });

  it('gives back what its parts hold back as long as they wait for their voice', async () => {
    await loadUnder(3);
    await send(3, ONE);
    expect(await money()).toMatchObject({ reserved: 3 });
    await refuseVoice(3);
    expect((await ledger.counts('b')).states.blocked).toBe(2);
    expect(await money()).toMatchObject({ reserved: 0 });
  });

  it('keeps room for the parts that wait for their voice if another part was paid for', async () => {
    await loadUnder(3);
    await accept(3);
    await send(4, ONE);
    await refuseVoice(4);
    expect(await money()).toMatchObject({ charged: 1, reserved: 2 });
  });

  it('says what it has cost where a part that is paid again does not fit, and counts only what is left', async () => {
    await loadUnder(3);
    for (const row of PARTS) {
      await accept(row);
      await finish(row, row === 4 ? { failure: JOB_FAILED } : { file: FILE });
    }
    await redrive(4);
    expect(await ask(aKey(4, 1, 2), ONE)).toBe('over-budget');
    expect((await rowOf(1)).outcome).toBe('skipped');
    expect(await messageOf(1)).toContain('this part costs 1). The row has cost 3 before.');
    // With row 2, which does not fit either.
    expect(await ledger.skippedQuotes('b')).toMatchObject({ overBudget: 3.5 });
  });

  it('ends each part as its last take did, where retakes do not fit', async () => {
    await loadUnder(4);
    for (const row of PARTS) await accept(row);
    const again = { retake: 'speech', reason: 'retake', most: 2 } as const;
    const bad = { file: FILE, failure: UNFIT };
    await finish(3, { failure: JOB_FAILED }, { ...again, otherwise: FAILED });
    await finish(4, bad, { ...again, otherwise: { outcome: 'unfit', ...bad } });
    expect(await ask(aKey(3, 1, 2), ONE)).toBe('over-budget');
    const words = 'it would exceed the budget of 4 credits (3 spent or reserved, its 2 unsent parts cost 2).';
    const message = `The job failed. Not sent again: ${words} The row has cost 3 before.`;
    expect(await rowOf(3)).toMatchObject({ outcome: 'failed', failure: { class: 'JobFailed', message } });
    const failure = { class: 'Unfit', message: `It is silent. No further take: ${words}` };
    expect(await rowOf(4)).toMatchObject({ outcome: 'unfit', file: FILE, failure });
    await finish(5, { file: FILE });
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed' });
  });
});

it('rows in parts under any budget, asked for in any order, are paid whole or not at all, and together never cost more', async () => {
  let batches = 0;
  const asks = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), { maxLength: 20 });
  const property = fc.asyncProperty(fc.integer({ min: 0, max: 11 }), asks, async (budget, some) => {
    const name = `p${++batches}`;
    const rows = [
      { ...aRow(1), quoted: 3, parts: partsOf(4, 'One.', 'Two.', 'Three.') },
      { ...aRow(2), quoted: 3, parts: partsOf(7, 'Four.', 'Five.', 'Six.') },
      aRow(3),
    ];
    await load(rows, { name, settings: { budget } });
    const tried = new Map<number, number>();
    const all = [...some, ...[3, 4, 5, 6, 7, 8, 9].map((row) => [row, false] as const)];
    for (const [row, isRefused] of all) {
      const attempt = (tried.get(row) ?? 0) + 1;
      const key = { ...aKey(row, attempt), batch: name };
      if ((await ask(key, { quoted: row === 3 ? 2.5 : 1 })) === 'go') {
        tried.set(row, attempt);
        if (isRefused) await settle(key, { verdict: 'not-accepted' }, WAITING);
        else await settle(key, { verdict: 'done' }, { outcome: 'succeeded' });
      }
      const { charged, reserved } = await money(name);
      expect(charged + reserved).toBeLessThanOrEqual(budget);
      await kept(name);
    }
    for (const whole of [1, 2]) {
      const done = (await chargesOf(whole, name)).filter(({ state }) => state === 'done');
      expect([0, 3]).toContain(done.length);
    }
  });
  await fc.assert(property, { numRuns: scaleRuns(40) });
});
