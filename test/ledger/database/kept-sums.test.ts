import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { UpdateQueryBuilder, UpdateResult } from 'kysely';
import { OUTCOMES, ROW_STATES, type AttemptState } from '../../../contract/outcomes.ts';
import { roundedSum, sumsOfCharge, sumsOfRow } from '../../../ledger/money/batch-sums.ts';
import type { Db, Schema } from '../../../ledger/schema.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { inside } from '../inside.ts';
import { expectKept } from '../recount.ts';
import { fill, ledger, ledgerForEachTest } from '../setup.ts';

const ROWS = 2;
const CHARGE_STATES: readonly AttemptState[] = [
  ...(['sending', 'cached', 'accepted', 'done', 'not-accepted', 'rejected', 'unknown', 'revoked'] as const),
];

/** A statement that changes what is counted, whatever sense it makes. */
type Change = (db: Db, batch: string) => { execute(): Promise<unknown> };
type Charges = UpdateQueryBuilder<Schema, 'charges', 'charges', UpdateResult>;

// More of those that run and were announced, which count in the most ways.
const chargeState = fc.constantFrom(...CHARGE_STATES, 'accepted', 'accepted', 'accepted');
const row = fc.integer({ min: 1, max: ROWS });
const credits = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 500 }).map((cents) => cents / 100),
  // Together more than a billion, of which 15 digits have no room for all decimals.
  fc.integer({ min: 0, max: 99 }).map((millionths) => 500_000_000 + millionths / 1e6),
);
const time = fc.integer({ min: 1, max: 9 });
const charge = (db: Db, batch: string, at: number): Charges =>
  db.updateTable('charges').where('batch', '=', batch).where('row', '=', at);

/** A charge comes to be, and changes. */
const request = fc.tuple(row, fc.integer({ min: 1, max: 2 }), chargeState, credits).map(
  ([at, attempt, state, quoted]): Change =>
    (db, batch) =>
      db
        .insertInto('charges')
        .values({
          ...{ batch, row: at, step: 'speech', take: 1, attempt, state, quoted },
          ...{ owner: 'w', intent_at: 1, damaged: attempt === 1 ? 0 : 1 },
        } as never)
        .onConflict((conflict) => conflict.doNothing()),
);
const move = fc
  .record({
    at: row,
    state: chargeState,
    charged: credits,
    charged_from: fc.constantFrom('api', 'api', 'quote', null),
    finished_at: fc.option(time, { freq: 2 }),
    file: fc.constantFrom('{}', null),
  })
  .map(
    ({ at, ...columns }): Change =>
      (db, batch) =>
        charge(db, batch, at).set(columns),
  );

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(row, fc.constantFrom(...ROW_STATES)).map(
    ([at, state]): Change =>
      (db, batch) =>
        db.updateTable('rows').set({ state }).where('batch', '=', batch).where('row', '>=', at),
  ),
  fc
    .tuple(
      row,
      fc.oneof(
        fc
          .tuple(fc.option(fc.constantFrom(...OUTCOMES)), time)
          .map(([outcome, ended]) => ({ outcome, ended_at: outcome === null ? null : ended })),
        fc
          .tuple(fc.constantFrom('JobFailed', 'NotChosen', null), fc.constantFrom('one', 'other', null))
          .map(([name, cause]) => ({ failure_class: name, failure_cause: name === null ? null : cause })),
        credits.map((promised) => ({ promised: promised ?? 0 })),
      ),
    )
    .map(
      ([at, columns]): Change =>
        (db, batch) =>
          db.updateTable('rows').set(columns).where('batch', '=', batch).where('row', '=', at),
    ),
  fc.tuple(row, fc.boolean()).map(
    ([at, isThere]): Change =>
      (db, batch) =>
        charge(db, batch, at).set({ file: isThere ? '{}' : null }),
  ),
  time.map(
    (at): Change =>
      (db, batch) =>
        db.updateTable('batches').set({ reopened_at: at }).where('name', '=', batch),
  ),
  ...[request, request, request],
  ...[move, move, move],
  row.map(
    (at): Change =>
      (db, batch) =>
        db.deleteFrom('charges').where('batch', '=', batch).where('row', '=', at),
  ),
);

ledgerForEachTest();

describe('what the ledger keeps of a batch', () => {
  it('is what all its rows and charges add up to, whatever statement changed them', async () => {
    let batches = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
        const batch = `b${(batches += 1)}`;
        await fill(ledger, ROWS, batch);
        await inside(ledger, async (db) => {
          for (const make of changes) await make(db, batch).execute();
          await expectInStep(db, batch);
        });
        await expectKept(ledger, batch);
      }),
      { numRuns: scaleRuns(250) },
    );
  });

  it('has all decimals of large sums', async () => {
    const amounts = [2_000_000_000, ...Array.from({ length: 59 }, () => 0.000_004)];
    await fill(ledger, amounts.length);
    await inside(ledger, async (db) => {
      for (const [at, charged] of amounts.entries()) {
        const line = { batch: 'b', row: at + 1, step: 'speech', take: 1, attempt: 1, state: 'done', charged } as const;
        const other = { owner: 'w', intent_at: 1, damaged: 0 };
        await db
          .insertInto('charges')
          .values({ ...line, ...other } as never)
          .execute();
      }
      await expectInStep(db, 'b');
      expect(await db.selectFrom('sums').select('charged').execute()).toEqual([{ charged: 2_000_000_000.000_236 }]);
    });
  });

  it('is gone with a batch that was never opened', async () => {
    await fill(ledger, 2);
    const left = await inside(ledger, async (db) => {
      await db.updateTable('batches').set({ state: 'loading' }).execute();
      await ledger.discardLoading('b');
      return [
        await db.selectFrom('row_counts').selectAll().execute(),
        await db.selectFrom('sums').selectAll().execute(),
      ];
    });
    expect(left).toEqual([[], []]);
  });
});

/** What a group of writes computes by itself is what the triggers keep. */
async function expectInStep(db: Db, batch: string): Promise<void> {
  const kept = await db.selectFrom('sums').selectAll().where('batch', '=', batch).executeTakeFirstOrThrow();
  const charges = await db.selectFrom('charges').selectAll().where('batch', '=', batch).execute();
  const rows = await db.selectFrom('rows').selectAll().where('batch', '=', batch).execute();
  const sums: Record<string, number> = {};
  for (const part of [...charges.map(sumsOfCharge), ...rows.map(sumsOfRow)]) {
    for (const [name, by] of Object.entries(part)) sums[name] = roundedSum((sums[name] ?? 0) + by);
  }
  const zeros = Object.fromEntries(Object.keys(kept).map((name) => [name, 0]));
  // SQLite rounds a number of more than 15 digits to a neighbour of the one meant.
  const known = Object.entries(kept).map(([name, value]) => [
    name,
    name === 'batch' ? value : roundedSum(Number(value)),
  ]);
  expect({ ...zeros, ...sums, batch }).toEqual(Object.fromEntries(known));
}
