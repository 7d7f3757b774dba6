/** @slow */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LoadedRow, RowRecord } from '../../../ledger/rows/row-records.ts';
import { ask, PAY, redrive, REFUSED, settle } from '../actions.ts';
import { batchOf, rowOf, standing } from '../readings.ts';
import { aBatch, aKey, aRow, ledger, load, upTo, withLedger } from '../setup.ts';

/** Rows 1 and 2 make voices, the others speak with those of these rows. */
const MAKERS = 2;
const DEPENDENTS = [1, 2, 1, 2, 1] as const;
const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
let now = Date.now();
/** Later than any look is due that was given before. */
const later = (): number => (now += 120_000);

/** What may happen to such a batch, in any order: to a row that makes a voice, to a voice, to a row that speaks, to any. */
const ENDS = ['succeeded', 'failed', 'unknown', 'cancelled'] as const;
const LOOKS = ['use', 'look-again', 'try', 'give-up'] as const;
const ANSWERS = ['accepted', 'unready', 'rejected'] as const;
const happening = fc.oneof(
  fc.record({ end: fc.constantFrom(...ENDS), row: fc.integer({ min: 1, max: MAKERS }) }),
  fc.record({ look: fc.constantFrom(...LOOKS) }),
  fc.record({ speak: fc.constantFrom(...ANSWERS), row: fc.integer({ min: MAKERS + 1, max: 7 }) }),
  fc.record({ redrive: fc.integer({ min: 1, max: 7 }) }),
  fc.constant('close' as const),
);
type Happening = typeof happening extends fc.Arbitrary<infer One> ? One : never;

async function happen(what: Happening, made: string): Promise<void> {
  if (what === 'close') await ledger.closeBatch('b');
  else if ('end' in what) {
    const key = aKey(what.row, 1, (await rowOf(what.row)).take, 'voice');
    await ledger.giveUp(key, { outcome: what.end, ...(what.end === 'succeeded' && { text: made }) });
  } else if ('look' in what) {
    const due = await ledger.claimVoicePoll(ACCOUNT, later());
    const failure = { class: 'NoVoice', message: 'Too long.' } as const;
    await ledger.settleVoices(due.map((voice) => ({ ...voice, then: what.look, dueAt: 0, failure })));
  } else if ('speak' in what) await speak(what.row, what.speak);
  else if ((await rowOf(what.redrive)).outcome !== null)
    await redrive(what.redrive, { ...PAY, fromStep: what.redrive <= MAKERS ? 'voice' : 'speech' });
}

/** Sends a row, if it may be sent, and records the answer. */
async function speak(row: number, answer: (typeof ANSWERS)[number]): Promise<void> {
  const { row: found, charges } = await standing(row);
  if (found.outcome !== null) return;
  const key = aKey(row, charges.filter(({ take }) => take === found.take).length + 1, found.take);
  if ((await ask(key)) !== 'go') return;
  const failure = REFUSED;
  const refused = { refusedVoice: found.spec.voice ?? '', refusal: failure };
  if (answer === 'accepted') await settle(key, { verdict: 'done' }, { outcome: 'succeeded' });
  else if (answer === 'unready') await settle(key, { verdict: 'not-accepted', failure }, refused);
  else await settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
}

/** What must hold at any moment. */
async function expectSound(): Promise<void> {
  const rows: RowRecord[] = [];
  for await (const { row } of ledger.scanRows('b')) rows.push(row);
  const awaited = await ledger.claimVoicePoll(ACCOUNT, later());
  for (const row of rows.slice(MAKERS)) {
    const maker = rows[(row.voiceRow ?? 0) - 1];
    const isNamed = row.spec.voice?.startsWith('name:') === true;
    if (row.outcome !== null) continue;
    // Whoever claims it may send it: then it has an id.
    if (row.state !== 'blocked') expect({ row: row.row, isNamed }).toEqual({ row: row.row, isNamed: false });
    // It waits for somebody: the row that makes its voice, or a look at that voice.
    else if (isNamed) expect({ row: row.row, maker: maker?.outcome }).toEqual({ row: row.row, maker: null });
    else expect(awaited.map(({ voice }) => voice)).toContain(row.awaitedVoice);
  }
  const open = rows.filter(({ outcome }) => outcome === null);
  expect((await ledger.counts('b')).states.blocked).toBe(open.filter(({ state }) => state === 'blocked').length);
  // A closed batch has no row that waits for somebody who never comes.
  if ((await batchOf()).state === 'closed') expect(open).toEqual([]);
}

it('rows that wait for voices have an id before they can be sent, and always somebody to wait for, whatever happens', async () => {
  const speakers = DEPENDENTS.map((row, at): LoadedRow => {
    const speaker = aRow(MAKERS + at + 1);
    return { ...speaker, spec: { ...speaker.spec, voice: `name:N${row}` }, waitsFor: { type: 'made', row } };
  });
  const property = fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 14 }), (happenings) =>
    withLedger(async () => {
      await load([...upTo(MAKERS).map((row) => aRow(row, 'voice')), ...speakers]);
      for (const [at, what] of happenings.entries()) {
        await happen(what, `v-${at}`);
        await expectSound();
      }
    }),
  );
  await fc.assert(property, { numRuns: 60 });
});
