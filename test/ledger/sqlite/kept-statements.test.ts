import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KeptStatements } from '../../../ledger/sqlite/kept-statements.ts';

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

const read = (sql: string): readonly unknown[] => kept.execute(sql, []);
const timesPrepared = (sql: string): number => prepared.mock.calls.filter(([one]) => one === sql).length;

describe('KeptStatements', () => {
  it('prepares a statement once', () => {
    expect([read('select 1 as n'), read('select 1 as n')]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
    expect(timesPrepared('select 1 as n')).toBe(1);
  });

  it('keeps one that is used again and again, however many others are used once', () => {
    for (let list = 0; list < 1_000; list++) {
      read(`select ${String(list)}`);
      read('select 1 as often');
    }
    expect(timesPrepared('select 1 as often')).toBe(1);
  });

  it('keeps one that comes late, and not all of them', () => {
    for (let list = 0; list < 1_000; list++) read(`select ${String(list)}`);
    read('select 1 as late');
    read('select 1 as late');
    read('select 0');
    expect([timesPrepared('select 1 as late'), timesPrepared('select 0')]).toEqual([1, 2]);
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
