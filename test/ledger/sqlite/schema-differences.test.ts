import Database from 'libsql';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { ledger, ledgerForEachTest } from '../setup.ts';

ledgerForEachTest();

const strange = (): Promise<readonly string[]> => ledger.schemaDifferences();

function change(...statements: readonly string[]): void {
  const db = new Database(ledger.place);
  for (const statement of statements) db.exec(statement);
  db.close();
}

describe('the parts of a ledger', () => {
  it('are ours, in a new one and in one that the first versions made', async () => {
    expect(await strange()).toEqual([]);
    change('analyze');
    expect(await strange()).toEqual([]);
    const place = `${ledger.place}-first`;
    const raw = new Database(place);
    raw.exec(readFileSync(new URL('../../replay/upgrade/ledger.sql', import.meta.url), 'utf8'));
    raw.close();
    const first = await openLedger(place);
    expect(await first.schemaDifferences()).toEqual([]);
    await first.close();
  });

  it('are told that are not: a trigger, a view, or a table with a default of somebody else', async () => {
    change(
      `create trigger evil after insert on batches begin update batches set settings = '{}'; end`,
      'create view shown as select * from batches',
      'alter table text_limits add column more text default 1',
    );
    expect(await strange()).toEqual(['trigger "evil"', 'view "shown"', 'table "text_limits"']);
  });

  it('are told that are gone: without a trigger of ours, nobody counts what is spent', async () => {
    const db = new Database(ledger.place);
    const [first] = db.prepare("select name from sqlite_master where type = 'trigger'").pluck().all([]) as string[];
    db.exec(`drop trigger ${first ?? ''}`);
    db.close();
    expect(await strange()).toEqual([`trigger "${first ?? ''}"`]);
  });
});
