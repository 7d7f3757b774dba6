import { describe, expect, it } from '@jest/globals';
import { joinReads, splitAnswer } from '../../../ledger/database/joint-reads.ts';

const SQL = 'select * from "rows" where "batch" = $1 and "row" = $2 limit $3';
const of = (...values: unknown[]) => ({ sql: SQL, values });

describe('several executions of one statement', () => {
  it('are one, with a list of what differs', () => {
    expect(joinReads([of('b', 1, 3), of('b', 7, 3)])).toEqual({
      sql: 'select k.n as joint_read, t.* from unnest($3::bigint[]) with ordinality as k(c1, n), lateral (select * from "rows" where "batch" = $1 and "row" = k.c1 limit $2 offset 0) as t',
      values: ['b', 3, [1, 7]],
    });
    expect(joinReads([of('b', 1, 3), of('c', 7, 3)])).toMatchObject({
      sql: expect.stringContaining('unnest($2::text[], $3::bigint[]) with ordinality as k(c1, c2, n)') as unknown,
      values: [3, ['b', 'c'], [1, 7]],
    });
  });

  it('are asked one by one if no list can have their values', () => {
    expect(joinReads([of('b', 1.5, 3), of('b', 2, 3)])).toBeUndefined();
    expect(joinReads([of('b', null, 3), of('b', 2, 3)])).toBeUndefined();
    expect(joinReads([of('b', 2, 3), of('b', 2, 3)])).toBeUndefined();
  });

  it('get their own lines back, without what told them apart', () => {
    const lines = [
      { joint_read: 3, row: 9 },
      { joint_read: 1, row: 1 },
      { joint_read: '3', row: 8 },
    ];
    expect(splitAnswer(lines, 3)).toEqual([[{ row: 1 }], [], [{ row: 9 }, { row: 8 }]]);
  });
});
