import pg from 'pg';
import { endAfterTest } from '../../support/end-after-test.ts';

/** A session of somebody else at the ledger in this schema. */
export async function openOther(schema: string): Promise<pg.Client> {
  const other = new pg.Client({ connectionString: process.env['TEST_POSTGRES'], options: `-c search_path=${schema}` });
  await other.connect();
  endAfterTest(() => other.end());
  return other;
}

/** How many sessions wait for the lock of the ledger's writers. */
export async function waitingWriters(other: pg.Client): Promise<number> {
  const { rows } = await other.query<{ n: number }>(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
     and classid::bigint = (hashtext(current_schema())::bigint >> 32) & 4294967295
     and objid::bigint = hashtext(current_schema())::bigint & 4294967295`,
  );
  return rows[0]?.n ?? 0;
}
