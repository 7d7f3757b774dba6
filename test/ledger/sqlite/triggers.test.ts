import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import Database from 'libsql';
import { OUTCOMES, ROW_STATES } from '../../../contract/outcomes.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { expectKept } from '../recount.ts';
import { fill, ledger, ledgerForEachTest } from '../setup.ts';

const ROWS = 2;
const CHARGE_STATES = ['sending', 'cached', 'accepted', 'done', 'not-accepted', 'rejected', 'unknown', 'revoked'];

/** A statement that changes what is counted in a batch, whatever sense it makes; the batch is its parameter `@batch`. */
interface Change {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | number | null>>;
}

const row = fc.integer({ min: 1, max: ROWS });
const credits = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 500 }).map((cents) => cents / 100),
);
const time = fc.integer({ min: 1, max: 9 });

/** A statement with such parameters. */
const statement = (
  sql: string,
  parameters: Record<string, fc.Arbitrary<string | number | null>>,
): fc.Arbitrary<Change> => fc.record(parameters).map((given) => ({ sql, parameters: given }));
const rows = (set: string, parameters: Parameters<typeof statement>[1]): fc.Arbitrary<Change> =>
  statement(`update rows set ${set} where batch = @batch and row = @row`, { row, ...parameters });
const charges = (set: string, parameters: Parameters<typeof statement>[1]): fc.Arbitrary<Change> =>
  statement(`update charges set ${set} where batch = @batch and row = @row`, { row, ...parameters });
// More of those that run and were announced, which count in the most ways.
const chargeState = fc.constantFrom(...CHARGE_STATES, 'accepted', 'accepted', 'accepted');
const file = fc.constantFrom('{}', null);

/** A charge changes, and comes to be. */
const move = charges(
  'state = @state, charged = @charged, charged_from = @from, finished_at = @finished, file = @file',
  {
    file,
    state: chargeState,
    charged: credits,
    from: fc.constantFrom('api', 'api', 'quote', null),
    finished: fc.option(time, { freq: 2 }),
  },
);
const request = statement(
  `insert into charges (batch, row, step, take, attempt, state, quoted, owner, intent_at, damaged)
     values (@batch, @row, 'speech', 1, @attempt, @state, @quoted, 'w', 1, @attempt - 1) on conflict do nothing`,
  { row, attempt: fc.integer({ min: 1, max: 2 }), state: chargeState, quoted: credits },
);

const change: fc.Arbitrary<Change> = fc.oneof(
  statement('update rows set state = @state where batch = @batch and row >= @row', {
    row,
    state: fc.constantFrom(...ROW_STATES),
  }),
  rows('outcome = @outcome, ended_at = @ended', { outcome: fc.constantFrom(...OUTCOMES), ended: time }),
  rows('outcome = null, ended_at = null', {}),
  rows('failure_class = @name, failure_cause = @cause', {
    name: fc.constantFrom('JobFailed', 'NotChosen'),
    cause: fc.constantFrom('one', 'other', null),
  }),
  rows('failure_class = null, failure_cause = null', {}),
  rows('promised = coalesce(@promised, 0)', { promised: credits }),
  charges('file = @file', { file }),
  ...[move, move, move],
  statement('update batches set reopened_at = @at where name = @batch', { at: time }),
  ...[request, request, request],
  statement('delete from charges where batch = @batch and row = @row', { row }),
);

ledgerForEachTest();

describe('what the ledger keeps of a batch', () => {
  it('is what all its rows and charges add up to, whatever statement changed them', async () => {
    let batches = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
        const batch = `b${(batches += 1)}`;
        await fill(ledger, ROWS, batch);
        const raw = new Database(ledger.place);
        for (const { sql, parameters } of changes) raw.prepare(sql).run({ ...parameters, batch });
        raw.close();
        await expectKept(ledger, batch);
      }),
      { numRuns: scaleRuns(250) },
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
