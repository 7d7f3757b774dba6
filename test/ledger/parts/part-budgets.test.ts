/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { LoadedRow } from '../../../ledger/record-types.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { expectKept } from '../recount.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** Row 1 is spoken in parts, 3, 4 and 5, of 1 credit each. Row 2 is whole, and costs 2.5. */
const PARTS = [3, 4, 5];
const FAILED = { class: 'JobFailed', message: 'The job failed.' } as const;

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

function partsOf(...texts: readonly string[]): NonNullable<LoadedRow['parts']>['rows'] {
  return texts.map((text) => ({ spec: { kind: 'tts', text, voice: 'v', extra: {} }, quoted: 1 }));
}

async function load(budget: number): Promise<void> {
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget } });
  const rows = partsOf('One.', 'Two.', 'Three.');
  await ledger.addRows('b', [{ ...aRow(1), quoted: 3, parts: { first: 3, rows } }, aRow(2)]);
  await ledger.openBatch('b', 2);
}

describe('a row in parts under a budget', () => {
  const ask = async (row: number, attempt = 1, take = 1): Promise<string> =>
    (await ledger.intend(aKey(row, attempt, take), { ...INTENT, quoted: 1 })).type;
  const accept = (row: number): Promise<unknown> =>
    ledger.settle(aKey(row), { verdict: 'accepted', jobId: `job-${row}` }, { state: 'processing' });

  it.each(PARTS)(
    'is skipped whole, unpaid, if there is no room for all its parts, asked for part %i first',
    async (row) => {
      await load(2);
      expect(await ask(row)).toBe('over-budget');
      expect((await ledger.readRow('b', 1))?.row).toMatchObject({
        outcome: 'skipped',
        failure: { class: 'OverBudget' },
      });
      const failure = (await ledger.readRow('b', 1))?.row.failure;
      expect(failure?.message).toContain('its 3 unsent parts cost 3). Nothing was charged.');
      expect(await ledger.money('b')).toMatchObject({ charged: 0, reserved: 0 });
      expect(await ledger.skippedQuotes('b')).toMatchObject({ overBudget: 5.5 });
      for (const part of PARTS) expect(await ask(part)).toBe('blocked');
      await expectKept(ledger, 'b');
    },
  );

  it('keeps room for its parts once one is sent, also while a refused one waits to be sent again', async () => {
    await load(4);
    expect(await ask(4)).toBe('go');
    expect(await ledger.money('b')).toMatchObject({ reserved: 3 });
    await ledger.settle(aKey(4), { verdict: 'not-accepted' }, { state: 'waiting' });
    expect(await ledger.money('b')).toMatchObject({ reserved: 3 });
    expect((await ledger.intend(aKey(2), INTENT)).type).toBe('over-budget');
    expect(await ask(4, 2)).toBe('go');
    for (const row of [3, 5]) {
      expect(await ask(row)).toBe('go');
      await accept(row);
    }
    expect(await ledger.money('b')).toMatchObject({ charged: 2, reserved: 1 });
    await expectKept(ledger, 'b');
  });

  it('gives back what a part that ended no longer needs', async () => {
    await load(5.5);
    expect(await ask(3)).toBe('go');
    await accept(3);
    await ledger.giveUp(aKey(4), { outcome: 'failed', failure: FAILED });
    expect(await ledger.money('b')).toMatchObject({ charged: 1, reserved: 1 });
    await expectKept(ledger, 'b');
  });

  it('gives back what its parts hold back as long as they wait for their voice', async () => {
    await load(3);
    expect(await ask(3)).toBe('go');
    expect(await ledger.money('b')).toMatchObject({ reserved: 3 });
    const refusal = { class: 'BadRequest', message: 'The voice is not ready.' } as const;
    await ledger.settle(aKey(3), { verdict: 'not-accepted', failure: refusal }, { refusedVoice: 'v', refusal });
    expect((await ledger.counts('b')).states.blocked).toBe(2);
    expect(await ledger.money('b')).toMatchObject({ reserved: 0 });
    await expectKept(ledger, 'b');
  });

  it('keeps room for the parts that wait for their voice if another part was paid for', async () => {
    await load(3);
    expect(await ask(3)).toBe('go');
    await accept(3);
    expect(await ask(4)).toBe('go');
    const refusal = { class: 'BadRequest', message: 'The voice is not ready.' } as const;
    await ledger.settle(aKey(4), { verdict: 'not-accepted', failure: refusal }, { refusedVoice: 'v', refusal });
    expect(await ledger.money('b')).toMatchObject({ charged: 1, reserved: 2 });
    await expectKept(ledger, 'b');
  });

  it('says what it has cost where a part that is paid again does not fit, and counts only what is left', async () => {
    await load(3);
    for (const row of PARTS) {
      expect(await ask(row)).toBe('go');
      await accept(row);
      const file = { key: `b/${row}.mp3`, bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3' };
      if (row === 4) await ledger.finishJob(aKey(row), { failure: FAILED }, { outcome: 'failed', failure: FAILED });
      else await ledger.finishJob(aKey(row), { file }, { outcome: 'succeeded', file });
    }
    await redriveNow(ledger, 'b', [{ row: 4, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await ask(4, 1, 2)).toBe('over-budget');
    const { outcome, failure } = (await ledger.readRow('b', 1))?.row ?? {};
    expect(outcome).toBe('skipped');
    expect(failure?.message).toContain('this part costs 1). The row has cost 3 before.');
    // With row 2, which does not fit either.
    expect(await ledger.skippedQuotes('b')).toMatchObject({ overBudget: 3.5 });
    await expectKept(ledger, 'b');
  });

  it('ends each part as its last take did, where retakes do not fit', async () => {
    await load(4);
    const unfit = { class: 'Unfit', message: 'It is silent.' } as const;
    const silent = { key: 'b/4.mp3', bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3' };
    for (const row of PARTS) {
      expect(await ask(row)).toBe('go');
      await accept(row);
    }
    const again = { retake: 'speech', reason: 'retake', most: 2 } as const;
    const failed = { outcome: 'failed', failure: FAILED } as const;
    await ledger.finishJob(aKey(3), { failure: FAILED }, { ...again, otherwise: failed });
    const bad = { outcome: 'unfit', failure: unfit, file: silent } as const;
    await ledger.finishJob(aKey(4), { file: silent, failure: unfit }, { ...again, otherwise: bad });
    expect(await ask(3, 1, 2)).toBe('over-budget');
    const words = 'it would exceed the budget of 4 credits (3 spent or reserved, its 2 unsent parts cost 2).';
    expect((await ledger.readRow('b', 3))?.row).toMatchObject({
      outcome: 'failed',
      failure: { class: 'JobFailed', message: `The job failed. Not sent again: ${words} The row has cost 3 before.` },
    });
    expect((await ledger.readRow('b', 4))?.row).toMatchObject({
      outcome: 'unfit',
      file: silent,
      failure: { class: 'Unfit', message: `It is silent. No further take: ${words}` },
    });
    const file = { ...silent, key: 'b/5.mp3' };
    await ledger.finishJob(aKey(5), { file }, { outcome: 'succeeded', file });
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'failed' });
    await expectKept(ledger, 'b');
  });
});

describe('rows in parts under any budget, asked for in any order', () => {
  it('are paid whole or not at all, and together never cost more', async () => {
    let batches = 0;
    const asks = fc.array(fc.record({ row: fc.integer({ min: 1, max: 9 }), isRefused: fc.boolean() }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 11 }), asks, async (budget, some) => {
        const batch = `p${++batches}`;
        await ledger.createBatch({ ...aBatch(batch), settings: { ...aBatch().settings, budget } });
        await ledger.addRows(batch, [
          { ...aRow(1), quoted: 3, parts: { first: 4, rows: partsOf('One.', 'Two.', 'Three.') } },
          { ...aRow(2), quoted: 3, parts: { first: 7, rows: partsOf('Four.', 'Five.', 'Six.') } },
          aRow(3),
        ]);
        await ledger.openBatch(batch, 3);
        const send = async (row: number, isRefused: boolean): Promise<void> => {
          const attempt = (tried.get(row) ?? 0) + 1;
          const key = { ...aKey(row, attempt), batch };
          const answer = await ledger.intend(key, { ...INTENT, quoted: row === 3 ? 2.5 : 1 });
          if (answer.type === 'go') {
            tried.set(row, attempt);
            if (isRefused) await ledger.settle(key, { verdict: 'not-accepted' }, { state: 'waiting' });
            else await ledger.settle(key, { verdict: 'done' }, { outcome: 'succeeded' });
          }
          const { charged, reserved } = await ledger.money(batch);
          expect(charged + reserved).toBeLessThanOrEqual(budget);
          await expectKept(ledger, batch);
        };
        const tried = new Map<number, number>();
        for (const { row, isRefused } of some) await send(row, isRefused);
        for (let row = 3; row <= 9; row++) await send(row, false);
        for (const whole of [1, 2]) {
          const charges = (await ledger.readRow(batch, whole))?.charges ?? [];
          expect([0, 3]).toContain(charges.filter(({ state }) => state === 'done').length);
        }
      }),
      { numRuns: scaleRuns(40) },
    );
  });
});
