/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasResult } from '../../../contract/outcomes.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowRecord } from '../../../ledger/record-types.ts';
import { expectKept } from '../recount.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, makeFolder, open, redriveNow } from '../setup.ts';

/** Row 1 is spoken in parts 3, 4 and 5; row 2 is whole. */
const PARTS = [3, 4, 5] as const;
const SENDABLE = [2, ...PARTS] as const;
/** The gravest first, as in the guide. */
const GRAVE = ['unknown', 'overdue', 'failed', 'unfit', 'skipped', 'cancelled'] as const;
const FILE = { key: 'b/f.mp3', bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3', seconds: 1 };
const FAILED = { class: 'JobFailed', cause: 'job failed', message: 'The job failed.' } as const;
const LOST = { class: 'OutcomeUnknown', message: 'No answer came.' } as const;

/** What may happen to such a batch, in any order. */
type Happening =
  | { readonly type: 'send'; readonly row: number; readonly end: 'succeeded' | 'failed' | 'unknown' | 'running' }
  | { readonly type: 'answer' | 'redrive'; readonly row: number }
  | { readonly type: 'join' | 'stop' | 'stop-now' | 'close' };

const sendable = fc.constantFrom(...SENDABLE);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('send' as const),
      row: sendable,
      end: fc.constantFrom(
        'succeeded' as const,
        'succeeded' as const,
        'failed' as const,
        'unknown' as const,
        'running' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('answer' as const, 'redrive' as const),
      row: fc.constantFrom(1, ...SENDABLE),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('join' as const, 'join' as const, 'stop' as const, 'stop-now' as const, 'close' as const),
    }),
  },
);

async function load(ledger: Ledger): Promise<void> {
  await ledger.createBatch(aBatch());
  const rows = ['One.', 'Two.', 'Three.'].map((text) => ({
    spec: { kind: 'tts', text, voice: 'v', extra: {} } as const,
    quoted: 1,
  }));
  await ledger.addRows('b', [{ ...aRow(1), quoted: 3, parts: { first: 3, rows } }, aRow(2)]);
  await ledger.openBatch('b', 2);
}

async function rowOf(ledger: Ledger, row: number): Promise<RowRecord> {
  const found = await ledger.readRow('b', row);
  if (found === undefined) throw new Error(`There is no row ${String(row)}.`);
  return found.row;
}

async function happen(ledger: Ledger, what: Happening): Promise<void> {
  switch (what.type) {
    case 'send': {
      const { take, outcome, state } = await rowOf(ledger, what.row);
      const key = aKey(what.row, 1, take);
      if (outcome !== null || state !== 'waiting' || (await ledger.intend(key, INTENT)).type !== 'go') return;
      if (what.end === 'unknown') {
        await ledger.settle(key, { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
        return;
      }
      const jobId = `job-${String(what.row)}-${String(take)}`;
      await ledger.settle(key, { verdict: 'accepted', jobId }, { state: 'processing' });
      if (what.end === 'succeeded')
        await ledger.finishJob(key, { file: FILE, credits: 1 }, { outcome: 'succeeded', file: FILE });
      else if (what.end === 'failed')
        await ledger.finishJob(key, { failure: FAILED }, { outcome: 'failed', failure: FAILED });
      return;
    }
    case 'answer': {
      // Of a request that was lost, or of a job that still runs.
      const { take, outcome, state } = await rowOf(ledger, what.row);
      const key = aKey(what.row, 1, take);
      if (outcome === 'unknown' && what.row !== 1)
        await ledger.settle(key, { verdict: 'done', file: FILE }, { outcome: 'succeeded', file: FILE });
      else if (outcome === null && state === 'processing')
        await ledger.finishJob(key, { file: FILE }, { outcome: 'succeeded', file: FILE });
      return;
    }
    case 'redrive': {
      const { take, outcome } = await rowOf(ledger, what.row);
      const batch = await ledger.findBatch('b');
      // A batch that is being stopped refuses it.
      if (outcome === null || what.row === 1 || (batch?.state === 'open' && batch.control === 'stopping')) return;
      await redriveNow(ledger, 'b', [
        { row: what.row, take, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
      ]);
      return;
    }
    case 'join': {
      const whole = (await claimAnew(ledger)).rows.find(({ row }) => row.row === 1)?.row;
      if (whole?.state === 'fetching')
        await ledger.endWhole({ batch: 'b', row: 1, fence: whole.fence }, { file: FILE });
      return;
    }
    case 'stop':
      await ledger.setControl('b', 'stopping');
      await ledger.cancelRest('b');
      return;
    case 'stop-now':
      await ledger.setControl('b', 'stopping');
      await ledger.cancelRest('b');
      await ledger.stopNow('b');
      return;
    case 'close':
      await ledger.closeBatch('b');
  }
}

/** What must hold at any moment. */
async function expectSound(ledger: Ledger): Promise<void> {
  await expectKept(ledger, 'b');
  const parts = (await ledger.partsOf('b', 1)).map(({ row }) => row);
  const whole = await rowOf(ledger, 1);
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
  const batch = await ledger.findBatch('b');
  expect(batch?.rows).toBe(2);
  if (batch?.state === 'closed') expect([...ends, whole.outcome].filter((end) => end === null)).toEqual([]);
  if (batch?.state === 'closed') expect(ends).toHaveLength(parts.length);
}

describe('rows in parts', () => {
  it('stand as their parts do, and count as one row, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 20 }), async (happenings) => {
        const { folder, remove } = await makeFolder();
        const ledger = await open(folder);
        try {
          await load(ledger);
          for (const what of happenings) {
            await happen(ledger, what);
            await expectSound(ledger);
          }
        } finally {
          await ledger.close();
          await remove();
        }
      }),
      { numRuns: 25, seed: 12 },
    );
  });
});
