import { join } from 'node:path';
import Database from 'libsql';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KeptStatements } from '../../../ledger/sqlite/kept-statements.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

let database: Database.Database;
let kept: KeptStatements;
let prepared: jest.SpiedFunction<Database.Database['prepare']>;
beforeEach(() => {
  database = new Database(':memory:');
  prepared = jest.spyOn(database, 'prepare');
  kept = new KeptStatements(database, ':memory:');
});
afterEach(() => {
  kept.close();
});

const read = (sql: string): readonly unknown[] => kept.execute(sql, [], 'all');
const timesPrepared = (sql: string): number => prepared.mock.calls.filter(([one]) => one === sql).length;

describe('KeptStatements', () => {
  it('says that it is closed to whoever comes later: libsql would abort the process', () => {
    kept.close();
    expect(() => read('select 1 as n')).toThrow('the ledger :memory: is closed');
    expect(() => {
      kept.exec('begin immediate');
    }).toThrow('the ledger :memory: is closed');
    expect(kept.inTransaction).toBe(false);
  });

  it('keeps one that is used again and again, or comes late, however many others are used once, and not all of them', () => {
    for (let list = 0; list < 1_000; list++) {
      read(`select ${String(list)}`);
      read('select 1 as often');
    }
    for (const sql of ['select 1 as late', 'select 1 as late', 'select 0']) read(sql);
    expect(['select 1 as often', 'select 1 as late', 'select 0'].map(timesPrepared)).toEqual([1, 1, 2]);
  });

  it('reads the same lines as arrays and as objects, by turns, and the first one alone', () => {
    const sql = 'select * from t order by n';
    read('create table t (n integer, text text)');
    read("insert into t values (1, 'one'), (2, null)");
    const lines = [
      { n: 1, text: 'one' },
      { n: 2, text: null },
    ];
    for (let turn = 0; turn < 2; turn++) {
      expect(read(sql)).toEqual(lines);
      expect(kept.prepare(sql).all([])).toEqual(lines);
      expect([...kept.prepare(sql).iterate([])]).toEqual(lines);
      expect(kept.execute(sql, [], 'one')).toEqual(lines.slice(0, 1));
    }
    expect(kept.execute('select n from t where n > 2', [], 'one')).toEqual([]);
    // Once for all of them, once for the first.
    expect(timesPrepared(sql)).toBe(2);
  });

  it('reads what its parameters say, whatever was read before', () => {
    const sql = 'select n from t where n = ?';
    read('create table t (n integer)');
    for (let n = 0; n < 5; n++) read(`insert into t values (${String(n)})`);
    const ways: ((n: number) => readonly unknown[])[] = [
      (n) => kept.execute(sql, [n], 'one'),
      (n) => kept.execute(sql, [n], 'all'),
      (n) => kept.prepare(sql).all([n]),
      (n) => {
        expect(() => kept.execute(sql, [n, Symbol('odd')], 'one')).toThrow();
        return kept.execute(sql, [n], 'one');
      },
    ];
    const steps = fc.array(fc.tuple(fc.constantFrom(...ways), fc.integer({ min: -1, max: 5 })), { minLength: 20 });
    fc.assert(
      fc.property(steps, (taken) => {
        for (const [way, n] of taken) expect(way(n)).toEqual(n >= 0 && n < 5 ? [{ n }] : []);
      }),
    );
  });

  it('holds no lock on the table of which it read the first line alone', () => {
    read('create table t (n integer)');
    read('insert into t values (1), (2)');
    expect(kept.execute('select n from t', [], 'one')).toEqual([{ n: 1 }]);
    // SQLite refuses that while a statement is still reading.
    read('drop table t');
  });

  it('names the columns anew where they have moved', async () => {
    const path = join(freshFolder(), 'l.db');
    const [mine, other] = [new Database(path), new Database(path)];
    try {
      mine.exec('create table t (a, b)');
      mine.exec("insert into t values ('a', 'b')");
      const statements = new KeptStatements(mine, path);
      statements.checkSchema();
      expect(statements.execute('select * from t', [], 'one')).toEqual([{ a: 'a', b: 'b' }]);
      other.exec('drop table t');
      other.exec('create table t (b, a)');
      other.exec("insert into t values ('b', 'a')");
      statements.checkSchema();
      expect(statements.execute('select * from t', [], 'one')).toEqual([{ a: 'a', b: 'b' }]);
    } finally {
      mine.close();
      other.close();
    }
  });

  it('does not use a failed one again', () => {
    read('create table t (n integer unique)');
    read('insert into t values (1)');
    expect(() => read('insert into t values (1)')).toThrow();
    read('delete from t');
    read('insert into t values (1)');
    expect(timesPrepared('insert into t values (1)')).toBe(2);
  });
});
