import { describe, expect, it } from '@jest/globals';
import { JointWrites, type LineWrite } from '../../../ledger/database/joint-writes.ts';
import { amount, integer, orNull, table, text, type Table } from '../../../ledger/tables/columns.ts';

const COLUMNS = { batch: text(), row: integer(), state: text(), price: orNull(amount()) };
const TABLE = table(['batch', 'row'], COLUMNS);
const OTHER = table(['batch', 'row'], COLUMNS);

const setState = (row: number, state: string, on: Table = TABLE): LineWrite => ({
  table: on,
  sql: `update "${on === TABLE ? 't' : 'o'}" set "state" = $1 where "batch" = $2 and "row" = $3 and kind = $4`,
  values: [state, 'b', row, 'tts'],
  names: ['state', 'batch', 'row', undefined],
});
const setPrice = (row: number): LineWrite => ({
  table: TABLE,
  sql: 'update "t" set "price" = $1 where "batch" = $2 and "row" = $3',
  values: [null, 'b', row],
  names: ['price', 'batch', 'row'],
});
const remove = (row: number): LineWrite => ({
  table: TABLE,
  sql: 'delete from "t" where "batch" = $1 and "row" = $2',
  values: ['b', row],
  names: ['batch', 'row'],
});
const insert = (row: number): LineWrite => ({
  table: TABLE,
  sql: 'insert into "t" ("batch", "row", "price") values ($1, $2, $3) on conflict do nothing',
  values: ['b', row, 2.5],
  names: ['batch', 'row', 'price'],
});

function joined(...writes: readonly LineWrite[]): ReturnType<JointWrites['take']> {
  const joint = new JointWrites();
  for (const write of writes) joint.add(write);
  const statements = joint.take();
  expect(joint.take()).toEqual([]);
  return statements;
}

/** The rows of each statement. */
const order = (...writes: readonly LineWrite[]): unknown[] => joined(...writes).map(({ values }) => values[2]);

describe('writes of a group', () => {
  it('are one statement for each kind, with a list of each value and the type of its column', () => {
    expect(joined(setState(1, 'sent'), insert(7), setState(2, 'done'), insert(8))).toEqual([
      {
        sql: 'update "t" set "state" = k.c1 from unnest($1::text[], $2::text[], $3::bigint[]) as k(c1, c2, c3) where "batch" = k.c2 and "row" = k.c3 and kind = $4',
        values: [['sent', 'done'], ['b', 'b'], [1, 2], 'tts'],
      },
      {
        sql: 'insert into "t" ("batch", "row", "price") select k.c1, k.c2, k.c3 from unnest($1::text[], $2::bigint[], $3::double precision[]) as k(c1, c2, c3) on conflict do nothing',
        values: [
          ['b', 'b'],
          [7, 8],
          [2.5, 2.5],
        ],
      },
    ]);
  });

  it('that delete are one statement, too', () => {
    expect(joined(remove(1), remove(2))).toEqual([
      {
        sql: 'delete from "t" using unnest($1::text[], $2::bigint[]) as k(c1, c2) where "batch" = k.c1 and "row" = k.c2',
        values: [
          ['b', 'b'],
          [1, 2],
        ],
      },
    ]);
  });

  it('stay as they are where there is only one of a kind', () => {
    expect(joined(insert(1), setPrice(2))).toEqual([insert(1), setPrice(2)]);
  });

  it('wait on where they cannot be joined, so that no commit lacks them', () => {
    const joint = new JointWrites();
    for (const row of [1, 2]) joint.add({ ...setPrice(row), names: ['cost', 'batch', 'row'] });
    for (let times = 0; times < 2; times += 1) expect(() => joint.take()).toThrow('Expected cost to be a column.');
  });

  it('keep their order for each line, also where one overtakes those of other lines', () => {
    expect(order(setState(1, 'a'), setPrice(1), setState(2, 'a'), setPrice(2))).toEqual([
      [1, 2],
      [1, 2],
    ]);
    // The second change of line 1 must not reach its first, which is before the change of its price.
    expect(order(setState(1, 'a'), setPrice(1), setState(1, 'b'), setState(2, 'b'), setPrice(2))).toEqual([
      1,
      1,
      [1, 2],
      2,
    ]);
    expect(order(setState(1, 'a'), setState(1, 'b'))).toEqual([1, 1]);
  });

  it('tell lines of different tables apart', () => {
    expect(order(setState(1, 'a'), setState(1, 'a', OTHER), setState(2, 'a'), setState(2, 'a', OTHER))).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('refuse a value that is of no column', () => {
    const strange = { ...setPrice(1), names: ['cost', 'batch', 'row'] };
    expect(() => joined(strange, { ...strange, values: [1, 'b', 2] })).toThrow('Expected cost to be a column.');
  });
});
