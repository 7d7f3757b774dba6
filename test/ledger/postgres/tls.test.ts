import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { startPostgres } from '../../postgres-server.mjs';
import { offerTls } from '../../support/offer-tls.ts';

describe('a connection by TLS', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let folder: string;

  /** A server whose certificate is for `localhost`, by an authority of its own. */
  beforeAll(async () => {
    server = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), 'vb-tls-'));
    writeFileSync(join(folder, 'ca.pem'), await offerTls(server));
    await (await openLedger(addressOf('localhost', 'disable'), { makesTables: true })).close();
  });
  afterAll(() => {
    server.stop();
    rmSync(folder, { recursive: true });
  });

  function addressOf(host: string, mode: string, root?: string): string {
    const url = new URL(server.url);
    url.hostname = host;
    url.searchParams.set('sslmode', mode);
    if (root !== undefined) url.searchParams.set('sslrootcert', join(folder, root));
    return url.href;
  }

  it.each([
    ['127.0.0.1', 'prefer', undefined],
    ['127.0.0.1', 'require', undefined],
    ['127.0.0.1', 'verify-ca', 'ca.pem'],
    ['localhost', 'verify-full', 'ca.pem'],
  ])('is made to %s with sslmode=%s and authority %s', async (host, mode, root) => {
    await (await openLedger(addressOf(host, mode, root))).close();
  });

  it.each([
    ['localhost', 'verify-full', undefined, /certificate of the database server is not trusted.*Set PGSSLROOTCERT/],
    ['127.0.0.1', 'verify-full', 'ca.pem', /is for another name.*PGSSLMODE=verify-ca/],
    ['localhost', 'verify-ca', undefined, /Set PGSSLROOTCERT/],
    ['localhost', 'verify-full', 'none.pem', /no connection .* can be made \(ENOENT: .*none\.pem/],
  ])('is refused to %s with sslmode=%s and authority %s: %s', async (host, mode, root, why) => {
    await expect(openLedger(addressOf(host, mode, root))).rejects.toThrow(why);
  });
});
