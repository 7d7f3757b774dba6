/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LoadedRow, RowRecord } from '../../../ledger/record-types.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, INTENT, makeFolder, open, redriveNow } from '../setup.ts';

/** Rows 1 and 2 make voices, the others speak with those of these rows. */
const MAKERS = [1, 2] as const;
const DEPENDENTS = [1, 2, 1, 2, 1] as const;
const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
let now = Date.now();
/** Later than any look is due that was given before. */
function later(): number {
  return (now += 120_000);
}

/** What may happen to such a batch, in any order. */
type Happening =
  | { readonly type: 'end'; readonly row: number; readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'cancelled' }
  | { readonly type: 'redrive'; readonly row: number }
  | { readonly type: 'look'; readonly then: 'use' | 'look-again' | 'try' | 'give-up' }
  | { readonly type: 'speak'; readonly row: number; readonly answer: 'accepted' | 'unready' | 'rejected' }
  | { readonly type: 'close' };

const happening = fc.oneof(
  fc.record({
    type: fc.constant('end' as const),
    row: fc.constantFrom(...MAKERS),
    outcome: fc.constantFrom('succeeded' as const, 'failed' as const, 'unknown' as const, 'cancelled' as const),
  }),
  fc.record({ type: fc.constant('redrive' as const), row: fc.integer({ min: 1, max: 7 }) }),
  fc.record({
    type: fc.constant('look' as const),
    then: fc.constantFrom('use' as const, 'look-again' as const, 'try' as const, 'give-up' as const),
  }),
  fc.record({
    type: fc.constant('speak' as const),
    row: fc.integer({ min: 3, max: 7 }),
    answer: fc.constantFrom('accepted' as const, 'unready' as const, 'rejected' as const),
  }),
  fc.record({ type: fc.constant('close' as const) }),
);

async function load(ledger: Ledger): Promise<void> {
  await ledger.createBatch(aBatch());
  const rows = [
    ...MAKERS.map((row) => aRow(row, 'voice')),
    ...DEPENDENTS.map((maker, at): LoadedRow => {
      const row = aRow(at + 3);
      return { ...row, spec: { ...row.spec, voice: `name:N${String(maker)}` }, waitsFor: { type: 'made', row: maker } };
    }),
  ];
  await ledger.addRows('b', rows);
  await ledger.openBatch('b', rows.length);
}

async function happen(ledger: Ledger, what: Happening, made: string): Promise<void> {
  switch (what.type) {
    case 'end': {
      const take = (await ledger.readRow('b', what.row))?.row.take ?? 1;
      const ending = what.outcome === 'succeeded' ? { outcome: what.outcome, text: made } : { outcome: what.outcome };
      await ledger.giveUp({ ...aKey(what.row, 1, take), step: 'voice' }, ending);
      return;
    }
    case 'redrive': {
      const row = (await ledger.readRow('b', what.row))?.row;
      if (row === undefined || row.outcome === null) return;
      const fromStep = what.row <= 2 ? 'voice' : 'speech';
      const how = { type: 'pay', fromStep, reason: 'redrive' } as const;
      await redriveNow(ledger, 'b', [{ row: what.row, take: row.take, how }]);
      return;
    }
    case 'look': {
      const due = await ledger.takeVoiceLook(ACCOUNT, later());
      const failure = { class: 'NoVoice', message: 'Too long.' } as const;
      await ledger.settleVoices(due.map((voice) => ({ ...voice, then: what.then, dueAt: 0, failure })));
      return;
    }
    case 'speak':
      await speak(ledger, what);
      return;
    case 'close':
      await ledger.closeBatch('b');
  }
}

/** Sends a row, if it may be sent, and records the answer. */
async function speak(ledger: Ledger, { row, answer }: Extract<Happening, { type: 'speak' }>): Promise<void> {
  const found = await ledger.readRow('b', row);
  if (found === undefined || found.row.outcome !== null) return;
  const { take, spec } = found.row;
  const attempts = found.charges.filter((charge) => charge.take === take).length;
  const key = aKey(row, attempts + 1, take);
  const { type } = await ledger.intend(key, INTENT);
  if (type !== 'go') return;
  const failure = { class: 'BadRequest', message: 'Voice is still in training.' } as const;
  const refusedVoice = spec.voice ?? '';
  if (answer === 'accepted') await ledger.settle(key, { verdict: 'done' }, { outcome: 'succeeded' });
  else if (answer === 'unready') {
    await ledger.settle(key, { verdict: 'not-accepted', failure }, { refusedVoice, refusal: failure });
  } else await ledger.settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
}

async function rowsOf(ledger: Ledger): Promise<readonly RowRecord[]> {
  const found: RowRecord[] = [];
  for await (const { row } of ledger.scanRows('b')) found.push(row);
  return found;
}

/** What must hold at any moment. */
async function expectSound(ledger: Ledger): Promise<void> {
  const rows = await rowsOf(ledger);
  const awaited = await ledger.takeVoiceLook(ACCOUNT, later());
  for (const row of rows.slice(MAKERS.length)) {
    const maker = rows[(row.voiceRow ?? 0) - 1];
    const isNamed = row.spec.voice?.startsWith('name:') === true;
    if (row.outcome !== null) continue;
    // Whoever claims it may send it: then it has an id.
    if (row.state !== 'blocked') expect({ row: row.row, isNamed }).toEqual({ row: row.row, isNamed: false });
    // It waits for somebody: the row that makes its voice, or a look at that voice.
    else if (isNamed) expect({ row: row.row, maker: maker?.outcome }).toEqual({ row: row.row, maker: null });
    else expect(awaited.map(({ voice }) => voice)).toContain(row.awaitedVoice);
  }
  const { states } = await ledger.counts('b');
  expect(states.blocked).toBe(rows.filter(({ outcome, state }) => outcome === null && state === 'blocked').length);
  // A closed batch has no row that waits for somebody who never comes.
  if ((await ledger.findBatch('b'))?.state === 'closed')
    expect(rows.filter(({ outcome }) => outcome === null)).toEqual([]);
}

describe('rows that wait for voices', () => {
  it('have an id before they can be sent, and always somebody to wait for, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 14 }), async (happenings) => {
        const { folder, remove } = await makeFolder();
        const ledger = await open(folder);
        try {
          await load(ledger);
          for (const [at, what] of happenings.entries()) {
            await happen(ledger, what, `v-${String(at)}`);
            await expectSound(ledger);
          }
        } finally {
          await ledger.close();
          await remove();
        }
      }),
      { numRuns: 60 },
    );
  });
});
