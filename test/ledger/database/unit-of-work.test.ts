import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LineWrite } from '../../../ledger/database/joint-writes.ts';
import { UnitOfWork, type UnitConnection } from '../../../ledger/database/unit-of-work.ts';
import { integer, table, text } from '../../../ledger/tables/columns.ts';

/** Statements in the order in which they went out. */
let sent: string[];
let unit: UnitOfWork;

beforeEach(() => {
  sent = [];
  const connection: UnitConnection = {
    query: (sql, values) => {
      sent.push(`${sql} ${values.join()}`);
      return Promise.resolve([{ at: sent.length }]);
    },
    send: (sql) => {
      sent.push(sql);
    },
  };
  unit = new UnitOfWork(connection, Promise.resolve());
});

/** A change of a line, as the group's pieces write it. */
const lineOf = (row: number): LineWrite => ({
  table: table(['row'], { row: integer(), state: text() }),
  sql: 'update t set state = $1 where row = $2',
  values: ['sent', row],
  names: ['state', 'row'],
});

const ask = (subject: string, value = 1): Promise<readonly unknown[]> => unit.read(subject, 'select', [value]);

describe('a unit of work', () => {
  it('asks once about a subject, for each statement and value', async () => {
    expect(await Promise.all([ask('row:b/1'), ask('row:b/1'), ask('row:b/1', 2)])).toEqual([
      [{ at: 1 }],
      [{ at: 1 }],
      [{ at: 2 }],
    ]);
    expect(sent).toEqual(['select 1', 'select 2']);
  });

  it.each([
    ['what it named', ['row:b/1'], [4, 2, 3]],
    ['all that begins with it', ['row:'], [4, 5, 3]],
    ['nothing', [], [1, 2, 3]],
  ])('asks again after a write that changes %s', async (_what, subjects, expected) => {
    const all = async (): Promise<readonly unknown[]> =>
      (await Promise.all([ask('row:b/1'), ask('row:b/2'), ask('sums:b')])).map(([line]) => (line as { at: number }).at);
    await all();
    sent.length = 3;
    unit.write(subjects, lineOf(1));
    expect(await all()).toEqual(expected);
  });

  it('asks again about everything after a write that says nothing', async () => {
    await ask('sums:b');
    unit.forgetAll();
    await ask('sums:b');
    expect(sent).toEqual(['select 1', 'select 1']);
  });

  it('keeps what was known before a write in step with it, and asks for nothing that nobody asked for', async () => {
    await ask('sums:b');
    const known = unit.known('sums:b');
    unit.write(['sums:b'], lineOf(1));
    unit.keep('sums:b', known, () => [{ at: 99 }]);
    unit.keep('sums:c', unit.known('sums:c'), () => [{ at: 99 }]);
    expect([await ask('sums:b'), await ask('sums:c')]).toEqual([[{ at: 99 }], [{ at: 2 }]]);
  });

  it('keeps what it writes until it is to be sent, as one statement for each kind', () => {
    for (const row of [1, 2, 3]) unit.write([], lineOf(row));
    expect(sent).toEqual([]);
    unit.sendWrites();
    unit.sendWrites();
    expect(sent).toEqual([expect.stringContaining('unnest($1::text[], $2::bigint[])')]);
  });

  it('asks together for what is asked at the same time: one statement for each kind', async () => {
    let answers: readonly Promise<unknown>[] = [];
    unit.collectReads(() => {
      answers = [ask('row:b/1', 1), ask('row:b/2', 2), unit.read('batch:b', 'select batch', ['b']), ask('row:b/1', 1)];
    });
    expect(sent).toEqual([expect.stringContaining('unnest($1::bigint[])'), 'select batch b']);
    await Promise.all(answers);
    void ask('row:b/2', 2);
    void ask('row:b/3', 3);
    expect(sent).toHaveLength(3);
  });
});
