import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import Database from 'libsql';
import { OUTCOMES, ROW_STATES } from '../../../contract/outcomes.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { expectKept } from '../recount.ts';
import { fill, ledgerForEachTest } from '../setup.ts';

const ROWS = 4;
const CHARGE_STATES = ['sending', 'cached', 'accepted', 'done', 'not-accepted', 'rejected', 'unknown', 'revoked'];

/** A statement that changes what is counted, whatever sense it makes. */
type Change = (raw: Database.Database, batch: string) => void;

const row = fc.integer({ min: 1, max: ROWS });
const credits = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 500 }).map((cents) => cents / 100),
);
const time = fc.integer({ min: 1, max: 9 });

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(row, fc.constantFrom(...ROW_STATES)).map(
    ([at, state]): Change =>
      (raw, batch) =>
        raw.prepare('update rows set state = ? where batch = ? and row >= ?').run([state, batch, at]),
  ),
  fc.tuple(row, fc.option(fc.constantFrom(...OUTCOMES)), time).map(
    ([at, outcome, ended]): Change =>
      (raw, batch) =>
        raw
          .prepare('update rows set outcome = ?, ended_at = ? where batch = ? and row = ?')
          .run([outcome, outcome === null ? null : ended, batch, at]),
  ),
  fc.tuple(row, fc.constantFrom('JobFailed', 'NotChosen', null), fc.constantFrom('one', 'other', null)).map(
    ([at, name, cause]): Change =>
      (raw, batch) =>
        raw
          .prepare('update rows set failure_class = ?, failure_cause = ? where batch = ? and row = ?')
          .run([name, name === null ? null : cause, batch, at]),
  ),
  fc.tuple(row, fc.boolean()).map(
    ([at, isThere]): Change =>
      (raw, batch) =>
        raw.prepare('update charges set file = ? where batch = ? and row = ?').run([isThere ? '{}' : null, batch, at]),
  ),
  fc.tuple(row, credits).map(
    ([at, promised]): Change =>
      (raw, batch) =>
        raw.prepare('update rows set promised = ? where batch = ? and row = ?').run([promised ?? 0, batch, at]),
  ),
  time.map(
    (at): Change =>
      (raw, batch) =>
        raw.prepare('update batches set reopened_at = ? where name = ?').run([at, batch]),
  ),
  fc.tuple(row, fc.integer({ min: 1, max: 2 }), fc.constantFrom(...CHARGE_STATES), credits).map(
    ([at, attempt, state, quoted]): Change =>
      (raw, batch) =>
        raw
          .prepare(
            `insert into charges (batch, row, step, take, attempt, state, quoted, owner, intent_at, damaged)
             values (?, ?, 'speech', 1, ?, ?, ?, 'w', 1, ?) on conflict do nothing`,
          )
          .run([batch, at, attempt, state, quoted, attempt - 1]),
  ),
  fc.tuple(row, fc.constantFrom(...CHARGE_STATES), credits, fc.constantFrom('api', 'quote', null), fc.option(time)).map(
    ([at, state, charged, from, finished]): Change =>
      (raw, batch) =>
        raw
          .prepare(
            'update charges set state = ?, charged = ?, charged_from = ?, finished_at = ? where batch = ? and row = ?',
          )
          .run([state, charged, from, finished, batch, at]),
  ),
  row.map(
    (at): Change =>
      (raw, batch) =>
        raw.prepare('delete from charges where batch = ? and row = ?').run([batch, at]),
  ),
);

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

describe('what the ledger keeps of a batch', () => {
  it('is what all its rows and charges add up to, whatever statement changed them', async () => {
    let batches = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const batch = `b${(batches += 1)}`;
        await fill(ledger, ROWS, batch);
        const raw = new Database(ledger.place);
        for (const apply of changes) apply(raw, batch);
        raw.close();
        await expectKept(ledger, batch);
      }),
      { numRuns: scaleRuns(60) },
    );
  });

  it('is gone with a batch that was never opened', async () => {
    await fill(ledger, 2);
    const raw = new Database(ledger.place);
    raw.exec(`update batches set state = 'loading'`);
    await ledger.discardLoading('b');
    for (const table of ['row_counts', 'sums']) expect(raw.prepare(`select * from ${table}`).all([])).toEqual([]);
    raw.close();
  });
});
