import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import type { CompiledQuery } from 'kysely';
import { Kysely } from 'kysely';
import { join } from 'node:path';
import { selectFreeRows } from '../../ledger/claims.ts';
import type { Schema } from '../../ledger/schema.ts';
import { openSqlite } from '../../ledger/sqlite.ts';
import { makeFolder, open } from './setup.ts';

let path: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  const made = await makeFolder();
  remove = made.remove;
  path = join(made.folder, 'ledger.db');
  await (await open(made.folder)).close();
});
afterEach(() => remove());

function planOf(query: CompiledQuery): string {
  const raw = new Database(path);
  try {
    const steps = raw.prepare(`explain query plan ${query.sql}`).all([...query.parameters]) as { detail: string }[];
    return steps.map(({ detail }) => detail).join('; ');
  } finally {
    raw.close();
  }
}

describe('query plans', () => {
  it('finds free rows through their index, in order, without sorting', async () => {
    const db = new Kysely<Schema>({ dialect: await openSqlite(path) });
    const plan = planOf(selectFreeRows(db, 'b', ['waiting'], 10).compile());
    await db.destroy();
    expect(plan).toContain('COVERING INDEX rows_free (batch=? AND state=?)');
    expect(plan).not.toContain('TEMP B-TREE');
  });
});
