/** @slow */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasResult } from '../../../contract/outcomes.ts';
import { accept, ask, FILE, finish, JOB_FAILED, lose, redrive, RESUBMIT, settle, stop, UNFIT } from '../actions.ts';
import { batchOf, kept, rowOf } from '../readings.ts';
import { aKey, aRow, claimAnew, ledger, load, partsOf, withLedger } from '../setup.ts';

/** The gravest first, as in the guide. */
const GRAVE = ['unknown', 'overdue', 'failed', 'unfit', 'skipped', 'cancelled'] as const;
/** What may happen to row 2, which is whole, or to rows 3, 4 and 5, the parts of row 1: the more often, the likelier. */
const SENDS = ['succeed', 'succeed', 'fail', 'lose', 'run', 'unfit'] as const;
const ROW_WORDS = [...SENDS, ...SENDS, 'answer', 'answer', 'redrive', 'redrive', 'redrive'] as const;
const BATCH_WORDS = ['join', 'join', 'stop', 'stop-now', 'close'] as const;
const happening = fc.tuple(fc.constantFrom(...ROW_WORDS, ...BATCH_WORDS), fc.constantFrom(2, 3, 4, 5));

async function happen(what: (typeof ROW_WORDS | typeof BATCH_WORDS)[number], row: number): Promise<void> {
  const { take, outcome, state } = await rowOf(row);
  const key = aKey(row, 1, take);
  const isDue = outcome === null && state === 'waiting';
  switch (what) {
    case 'succeed':
    case 'fail':
    case 'run':
    case 'unfit': {
      if (!isDue || (await batchOf()).control === 'stopping') return;
      await accept(key);
      const end = { file: FILE, failure: UNFIT };
      if (what === 'succeed') await finish(key, { file: FILE, credits: 1 });
      else if (what === 'fail') await finish(key, { failure: JOB_FAILED });
      else if (what === 'unfit') await finish(key, end, { outcome: 'unfit', ...end });
      return;
    }
    case 'lose':
      if (isDue && (await batchOf()).control !== 'stopping') await lose(key);
      return;
    case 'answer':
      // Of a request that was lost, or of a job that still runs.
      if (outcome === 'unknown')
        await settle(key, { verdict: 'done', file: FILE }, { outcome: 'succeeded', file: FILE });
      else if (outcome === null && state === 'processing') await finish(key, { file: FILE });
      return;
    case 'redrive': {
      const batch = await batchOf();
      // A batch that is being stopped refuses it.
      if (outcome !== null && (batch.state !== 'open' || batch.control !== 'stopping')) await redrive(row, RESUBMIT);
      return;
    }
    case 'join': {
      const whole = (await claimAnew(ledger)).rows.find((one) => one.row.row === 1)?.row;
      if (whole?.state === 'fetching')
        await ledger.endSplitRow({ batch: 'b', row: 1, fence: whole.fence }, { file: FILE });
      return;
    }
    case 'stop':
    case 'stop-now':
      await stop();
      if (what === 'stop-now') await ledger.stopNow('b');
      return;
    case 'close':
      await ledger.closeBatch('b');
  }
}

/** What must hold at any moment. */
async function expectSound(): Promise<void> {
  await kept();
  const parts = (await ledger.partsOf('b', 1)).map(({ row }) => row);
  const whole = await rowOf(1);
  // Whoever asks, it is never sent itself.
  expect(await ask(1)).toBe('blocked');
  const ends = parts.flatMap(({ outcome }) => outcome ?? []);
  const seen = { outcome: whole.outcome, state: whole.outcome === null ? whole.state : null };
  if (ends.length < parts.length) expect(seen).toEqual({ outcome: null, state: 'blocked' });
  else if (ends.every(hasResult)) {
    if (whole.outcome === null) expect(seen.state).toBe('fetching');
    else expect(whole).toMatchObject({ outcome: 'succeeded', file: FILE });
  } else {
    const gravest = GRAVE.find((grave) => ends.includes(grave));
    expect(seen.outcome).toBe(gravest === 'unfit' ? 'failed' : gravest);
    expect(whole.file).toBeNull();
  }
  const { rows, state } = await batchOf();
  expect(rows).toBe(2);
  if (state === 'closed') expect([...parts, whole].map(({ outcome }) => outcome)).not.toContain(null);
}

it('rows in parts stand as their parts do, and count as one row, whatever happens', async () => {
  const property = fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 20 }), (happenings) =>
    withLedger(async () => {
      await load([{ ...aRow(1), quoted: 3, parts: partsOf(3, 'One.', 'Two.', 'Three.') }, aRow(2)]);
      for (const [what, row] of happenings) {
        await happen(what, row);
        await expectSound();
      }
    }),
  );
  await fc.assert(property, { numRuns: 25, seed: 12 });
});
