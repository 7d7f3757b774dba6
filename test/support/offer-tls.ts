import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { startPostgres } from '../postgres-server.mjs';
import { executeStatements } from './execute-statements.ts';
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
  await executeStatements(server.url, 'alter system set ssl = on', 'select pg_reload_conf()');
  return ca;
}
