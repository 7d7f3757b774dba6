import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pairRows } from '../../../batches/compare/compare-batches.ts';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import type { NewRow } from '../../../ledger/rows/row-records.ts';
import { batchOf } from '../../ledger/readings.ts';
import { aRow, ledger, ledgerForEachTest, load, upTo } from '../../ledger/setup.ts';

ledgerForEachTest();

async function add(name: string, rows: readonly Partial<NewRow>[]): Promise<BatchRecord> {
  const given = rows.map((change, at) => ({ ...aRow(at + 1), ...change }));
  await load(given, { name });
  return batchOf(name);
}

/** `a=b` for a pair, `a=` and `=b` for a row of one batch, by their numbers. */
async function pairs(one: BatchRecord, other: BatchRecord): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const paired of pairRows(ledger, [one, other])) {
    if (paired.type === 'pair') found.push(paired.rows.map(({ row }) => row.row).join('='));
    else found.push(paired.side === 0 ? `${paired.row.row.row}=` : `=${paired.row.row.row}`);
  }
  return found;
}

const text = (words: string): Pick<NewRow, 'spec'> => ({ spec: { kind: 'tts', text: words, voice: 'v', extra: {} } });

it('pairs rows by their ids, whatever their order', async () => {
  const one = await add('one', [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  const other = await add('other', [{ id: 'c' }, { id: 'x', ...text('other') }, { id: 'a' }]);
  expect(await pairs(one, other)).toEqual(['1=3', '3=1', '=2', '2=']);
});

it('pairs rows whose ids differ by what they ask for, each once', async () => {
  const one = await add('one', [
    { id: 'a', ...text('hello') },
    { id: 'b', ...text('hello') },
    { id: 'c', spec: { ...text('bye').spec, dialect: 'legacy' } },
  ]);
  const other = await add('other', [
    { id: '1', ...text('bye') },
    { id: '2', ...text('hello') },
    { id: '3', ...text('what') },
  ]);
  expect(await pairs(one, other)).toEqual(['3=1', '1=2', '=3', '2=']);
});

it('pairs no rows of which nobody knows any more what they asked for', async () => {
  const removed = { spec: { kind: 'tts', dialect: 'legacy', extra: {} } } as const;
  expect(
    await pairs(await add('one', [{ id: 'a', ...removed }]), await add('other', [{ id: 'b', ...removed }])),
  ).toEqual(['=1', '1=']);
});

it('hands on every row of both once, over pages', async () => {
  const rows = upTo(1_203).map((row) => ({ id: `r${row}` }));
  const found = await pairs(await add('one', rows), await add('other', rows.toReversed()));
  expect(found.toSorted()).toEqual(
    upTo(1_203)
      .map((row) => `${row}=${1_204 - row}`)
      .toSorted(),
  );
});

it('hands on every row once, whatever the ids and contents are', async () => {
  let number = 0;
  const rows = fc.uniqueArray(
    fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), words: fc.constantFrom('x', 'y') }),
    { selector: ({ id }) => id, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(rows, rows, async (left, right) => {
      number += 1;
      const make = async (name: string, of: typeof left): Promise<BatchRecord> =>
        add(
          `${name}${number}`,
          of.map(({ id, words }) => ({ id, ...text(words) })),
        );
      const found = await pairs(await make('one', left), await make('other', right));
      const seen = (side: number): readonly string[] => found.flatMap((pair) => pair.split('=')[side] || []).toSorted();
      expect(seen(0)).toEqual(left.map((_, at) => String(at + 1)));
      expect(seen(1)).toEqual(right.map((_, at) => String(at + 1)));
    }),
    { numRuns: 30 },
  );
});
