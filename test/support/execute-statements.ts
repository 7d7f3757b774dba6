import pg from 'pg';

/** Executes statements on a PostgreSQL server, one after the other, as the user of the address. */
export async function executeStatements(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
