import { expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { expectWhole, saying } from '../../support/batch-end.ts';
import { executeStatements } from '../../support/execute-statements.ts';
import { changeRate } from '../../support/batch-record.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { offerTls } from '../../support/offer-tls.ts';
import { waitFor } from '../../support/wait-for.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';

const ROWS = 6;
const MANY = 40;
const PASSWORD = 'a password of ann';

/** A server that lets `ann` in by TLS and with her password only. */
async function startStrict(): Promise<{ readonly url: string; readonly ofAnn: string; readonly ca: string }> {
  const server = await postgresForTest();
  const ca = await offerTls(server);
  const rules = join(server.data, 'pg_hba.conf');
  const others = readFileSync(rules, 'utf8');
  writeFileSync(rules, `hostssl all ann all scram-sha-256\nhost all ann all reject\n${others}`);
  await executeStatements(
    server.url,
    `create role ann superuser login password '${PASSWORD}'`,
    // So that it is not the server that hangs up.
    `alter system set authentication_timeout = '10min'`,
    'select pg_reload_conf()',
  );
  return { url: server.url, ofAnn: server.url.replace('voxbatch@127.0.0.1', 'ann@localhost'), ca };
}

it('all sessions of a batch take password and TLS from the environment', async () => {
  const { url, ofAnn, ca } = await startStrict();
  const world = await LiveWorld.open({
    seed: 47,
    createMs: [5, 20],
    jobMs: [50, 200],
    rows: ROWS,
    kinds: ['tts'],
    ledger: url,
  });
  writeFileSync(join(world.folder, 'ca.pem'), ca);
  const tls = { PGSSLMODE: 'verify-full', PGSSLROOTCERT: join(world.folder, 'ca.pem') };
  const ann = { VOXBATCH_LEDGER: ofAnn, ...tls };
  expect(await world.run(['run', 'lines.csv'], { env: ann })).toMatchObject({
    code: 4,
    stderr: saying('asks for a password, and there is none'),
  });
  const { code } = await world.run(['run', 'lines.csv'], { env: { ...ann, PGPASSWORD: PASSWORD } });
  expect({ code, ...(await expectWhole(world, 'lines', ROWS)) }).toMatchObject({ code: 0, unknown: 0, charges: ROWS });
  const shown = await world.run(['doctor', '--json'], {
    env: { ...ann, VOXBATCH_LEDGER: ofAnn.replace('ann@', `ann:${encodeURIComponent(PASSWORD)}@`) },
  });
  expect(shown.stdout).toContain('postgres://ann@localhost');
  expect(shown.stdout).not.toContain(encodeURIComponent(PASSWORD));
});

it('a password that is rotated in mid-batch is waited for by whatever is at work, which takes the new one from its file', async () => {
  const { url, ofAnn } = await startStrict();
  const world = await LiveWorld.open({
    ...{ seed: 48, createMs: [50, 150], jobMs: [300, 900], rows: MANY, kinds: ['tts'], ledger: url },
  });
  const file = join(world.folder, 'passwords');
  const keep = (password: string): void => {
    writeFileSync(file, `*:*:*:ann:${password}\n`, { mode: 0o600 });
  };
  keep(PASSWORD);
  const env = { VOXBATCH_LEDGER: ofAnn, PGSSLMODE: 'require', PGPASSFILE: file };
  const run = world.start(['run', 'lines.csv', '--rate', '8'], { env });
  await world.untilCharged(MANY / 4);
  // So that the batch is in its middle until the password is changed, and changed back in the file.
  await changeRate(world, 'lines', 0.3);
  const watch = world.start(['watch', 'lines'], { env });
  await watch.said(`/${MANY} done`);
  await executeStatements(
    url,
    `alter role ann password 'another one'`,
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ann'`,
  );
  for (const one of [run, watch])
    await one.said(/Nothing is sent until that is mended.*the database server refused the user/);
  // Whatever only starts ends at once.
  expect(await world.run(['run', 'lines.csv'], { env })).toMatchObject({ code: 4, stderr: saying('refused the user') });
  // As with a user or a database that was forgotten there.
  writeFileSync(file, '*:*:*:bob:x\n', { mode: 0o600 });
  expect(await world.run(['list'], { env })).toMatchObject({
    code: 4,
    stderr: saying('was read and has none for the user ann in the database postgres at localhost:'),
  });
  keep('another one');
  for (const one of [run, watch]) await one.said('The database of the ledger answers again');
  await changeRate(world, 'lines', 8);
  const warning = /DeprecationWarning/;
  expect(await watch.ended).toMatchObject({ code: 0, stderr: expect.not.stringMatching(warning) });
  const { code, stderr } = await run.ended;
  expect(stderr).not.toMatch(warning);
  expect({ code, ...(await expectWhole(world, 'lines', MANY)) }).toMatchObject({ code: 0, unknown: 0, charges: MANY });
});

it('a connection that lacks the password is not kept open', async () => {
  const { ofAnn } = await startStrict();
  const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const before = sockets();
  await expect(openLedger(`${ofAnn}?sslmode=require`)).rejects.toThrow('asks for a password');
  await waitFor(() => sockets() <= before);
});
