import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { startPostgres } from '../postgres-server.mjs';
import { certify } from './self-made-ca.ts';

type Server = Pick<Awaited<ReturnType<typeof startPostgres>>, 'url' | 'data'>;

/** Lets a server offer TLS as `localhost`. Returns the certificate of the authority that vouches for it. */
export async function offerTls(server: Server): Promise<string> {
  const { ca, server: own } = certify('localhost');
  const { uid, gid } = statSync(server.data);
  for (const [name, text] of [
    ['server.crt', own.cert],
    ['server.key', own.key],
  ] as const) {
    writeFileSync(join(server.data, name), text, { mode: 0o600 });
    chownSync(join(server.data, name), uid, gid);
  }
  await execute(server, 'alter system set ssl = on', 'select pg_reload_conf()');
  return ca;
}

/** Executes statements as the owner of the server. */
export async function execute({ url }: Pick<Server, 'url'>, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
