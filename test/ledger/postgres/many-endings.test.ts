import { expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { accept, ask, lose, redrive, RESUBMIT } from '../actions.ts';
import { outcomes } from '../readings.ts';
import { aRow, ledger, load, partsOf, upTo, withLedger } from '../setup.ts';

/** How many statements reach the server while this is done with so many rows. */
async function statementsFor(rows: number, prepare: (rows: number) => Promise<void>, end: () => Promise<unknown>) {
  let statements = 0;
  await withLedger(async () => {
    await prepare(rows);
    const query = jest.spyOn(pg.Client.prototype, 'query');
    try {
      await end();
      statements = query.mock.calls.length;
    } finally {
      query.mockRestore();
    }
    // All of them have ended.
    expect(await outcomes()).not.toContain('waiting');
    expect(await outcomes()).not.toContain('processing');
  });
  return statements;
}

async function loadInParts(rows: number): Promise<void> {
  const texts = ['One.', 'Two.', 'Three.'];
  await load(
    upTo(rows).map((row) => ({ ...aRow(row), parts: partsOf(rows + 1 + (row - 1) * texts.length, ...texts) })),
  );
}

const stop = (): Promise<unknown> => ledger.stopNow('b');

it.each<[string, (rows: number) => Promise<void>, () => Promise<unknown>]>([
  ['rows with nothing under way', (rows) => load(rows), stop],
  ['rows in parts', loadInParts, stop],
  [
    'rows whose jobs run',
    async (rows) => {
      await load(rows);
      for (const row of upTo(rows)) await accept(row);
    },
    stop,
  ],
  [
    'rows that go back to the take before',
    async (rows) => {
      await load(rows);
      for (const row of upTo(rows)) await lose(row);
      await redrive(upTo(rows), RESUBMIT);
    },
    stop,
  ],
  ['rows that are too dear', (rows) => load(rows, { settings: { budget: 1 } }), () => ask(1)],
  [
    'parts of a row that is too dear',
    (rows) =>
      load([{ ...aRow(1), parts: partsOf(2, ...upTo(rows).map((part) => `Part ${String(part)}.`)) }], {
        settings: { budget: 1 },
      }),
    () => ask(2, { quoted: 1 }),
  ],
])('%s end with as many statements, however many there are: other writers wait for each', async (_, prepare, end) => {
  expect(await statementsFor(24, prepare, end)).toBe(await statementsFor(4, prepare, end));
});
