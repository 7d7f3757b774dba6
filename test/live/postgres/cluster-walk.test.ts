/** @slow */
import { chmodSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { startPostgres } from '../../postgres-server.mjs';
import { endAfterTest } from '../../support/end-after-test.ts';
import { executeStatements } from '../../support/execute-statements.ts';
import { freePort } from '../../support/free-port.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { followWalk } from '../../support/guide-walk.ts';

const ROWS = 200;
const ADMIN_PASSWORD = 'a password of the admin';
const WALK = {
  page: 'docs/guide/cluster.md',
  heading: 'From nothing to a batch on four workers',
  end: 'kill $(jobs -p)',
};

it('the walk of the guide to clusters leads from nothing to a batch on four workers, with a role and a password for each, and to a drill with its backup', async () => {
  // The user that the server runs as has to get to its folder.
  chmodSync(tmpdir(), 0o711);
  const { url, data, stop } = await startPostgres();
  endAfterTest(stop);
  const { host, username } = new URL(url);
  await executeStatements(url, `alter role ${username} password '${ADMIN_PASSWORD}'`);
  // Nobody comes in without a password.
  await writeFile(join(data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
  await executeStatements(url, 'select pg_reload_conf()').catch(() => undefined);
  const folder = freshFolder();
  const { stdout, stderr, paid } = await followWalk(folder, WALK, {
    VOXBATCH: fileURLToPath(new URL('../../..', import.meta.url)),
    DB_HOST: host,
    DB_ADMIN: username,
    DB_ADMIN_PASSWORD: ADMIN_PASSWORD,
    TEMPORAL_PORT: String(await freePort()),
    XDG_STATE_HOME: join(folder, 'state'),
  });
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(
      /Ann: start, at a price of .* \(the walk\)[^]*Row 7 of batch "lines": succeeded[^]*lines/,
    ),
    stderr: expect.not.stringMatching(/may not|DeprecationWarning/),
  });
  expect(paid).toHaveLength(ROWS);
  expect(new Set(paid.map(({ text }) => text)).size).toBe(ROWS);
});
