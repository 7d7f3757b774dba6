import Database from 'libsql';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';

let path = '';
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'voxbatch-strange-')), 'ledger.db');
});
afterEach(() => {
  rmSync(join(path, '..'), { recursive: true });
});

async function strange(): Promise<readonly string[]> {
  const ledger = await openLedger(path);
  try {
    return await ledger.strangeParts();
  } finally {
    await ledger.close();
  }
}

function change(...statements: readonly string[]): void {
  const db = new Database(path);
  for (const statement of statements) db.exec(statement);
  db.close();
}

describe('the parts of a ledger', () => {
  it('are ours, in a new one and in one that the first versions made', async () => {
    expect(await strange()).toEqual([]);
    rmSync(path);
    change(readFileSync(new URL('../../replay/upgrade/ledger.sql', import.meta.url), 'utf8'));
    expect(await strange()).toEqual([]);
    change('analyze');
    expect(await strange()).toEqual([]);
  });

  it('are told that are not: a trigger, a view, or a table with a default of somebody else', async () => {
    await strange();
    change(
      `create trigger evil after insert on batches begin update batches set settings = '{}'; end`,
      'create view shown as select * from batches',
      'alter table text_limits add column more text default 1',
    );
    expect(await strange()).toEqual(['trigger "evil"', 'view "shown"', 'table "text_limits"']);
  });

  it('are told that are gone: without a trigger of ours, nobody counts what is spent', async () => {
    await strange();
    const db = new Database(path);
    const [first] = db.prepare("select name from sqlite_master where type = 'trigger'").pluck().all([]) as string[];
    db.exec(`drop trigger ${first ?? ''}`);
    db.close();
    expect(await strange()).toEqual([`trigger "${first ?? ''}"`]);
  });
});
