import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { LedgerUnreachable } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { connectionTo } from '../../../ledger/postgres/connection-settings.ts';
import { startPostgres } from '../../postgres-server.mjs';
import { endAfterTest } from '../../support/end-after-test.ts';
import { executeStatements } from '../../support/execute-statements.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aBatch } from '../setup.ts';
import { newPlace } from './new-place.ts';

const GRANTS = ['usage on schema v', 'all on all tables in schema v', 'all on all sequences in schema v'];
const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'worker'`;

/** What takes the ledger away from `worker`, at the server and in its database, and what to say of it. */
const FAULTS = [
  {
    what: 'a database that is missing',
    says: 'there is no such database',
    atServer: ['alter database d allow_connections false', END_SESSIONS, 'alter database d rename to former'],
    back: ['alter database former rename to d', 'alter database d allow_connections true'],
  },
  {
    what: 'a database that is closed',
    says: 'the database takes no connections',
    atServer: ['alter database d allow_connections false', END_SESSIONS],
    back: ['alter database d allow_connections true'],
  },
  {
    what: 'another password',
    says: 'the database server refused the user',
    atServer: [`alter role worker password 'second'`, END_SESSIONS],
    newPassword: 'second',
  },
  {
    what: 'tables that are missing',
    says: 'its tables are not there, or not complete',
    inDatabase: ['alter schema v rename to w'],
    backInDatabase: ['alter schema w rename to v'],
  },
  {
    what: 'rights that were taken',
    says: 'permission denied for table',
    inDatabase: ['revoke all on all tables in schema v from worker'],
    backInDatabase: ['grant all on all tables in schema v to worker'],
  },
] as const;

describe('a ledger that only a person can mend', () => {
  let server: string;
  let database: string;
  let ofWorker: string;
  let passwords: string;
  const keep = (password: string): void => {
    writeFileSync(passwords, `*:*:*:worker:${password}\n`, { mode: 0o600 });
  };

  beforeAll(async () => {
    const { url, data, stop } = await startPostgres();
    const folder = mkdtempSync(join(tmpdir(), 'vb-passwords-'));
    const before = process.env['PGPASSFILE'];
    endAfterTest(() => {
      stop();
      rmSync(folder, { recursive: true });
      if (before === undefined) delete process.env['PGPASSFILE'];
      else process.env['PGPASSFILE'] = before;
    });
    passwords = process.env['PGPASSFILE'] = join(folder, 'passwords');
    keep('first');
    const rules = join(data, 'pg_hba.conf');
    writeFileSync(rules, `host all worker all scram-sha-256\n${readFileSync(rules, 'utf8')}`);
    await executeStatements(
      url,
      'create database d',
      `create role worker login password 'first' in role pg_monitor`,
      'grant execute on function pg_control_system() to worker',
      'select pg_reload_conf()',
    );
    [server, database] = [url, `${new URL('d', url).href}?schema=v`];
    ofWorker = database.replace('voxbatch@', 'worker@');
    await (await openLedger(database, { makesTables: true })).close();
    await executeStatements(database.replace(/\?.*/, ''), ...GRANTS.map((right) => `grant ${right} to worker`));
  });

  it.each(FAULTS)('is waited for by who works, and named at once to who only asks: $what', async (fault) => {
    const [former, next] = [randomUUID(), randomUUID()];
    const ledger = await openLedger(ofWorker, { waits: true });
    endAfterTest(() => ledger.close());
    const lost: Error[] = [];
    const unlock = await ledger.lockForWorkers('one', (error) => lost.push(error));
    endAfterTest(unlock);
    await ledger.createBatch(aBatch(former));
    expect(await ledger.findBatch(former)).toMatchObject({ name: former });
    const inDatabase = (statements: readonly string[] = []): Promise<void> =>
      executeStatements(database.replace(/\?.*/, ''), ...statements);
    if ('atServer' in fault) await executeStatements(server, ...fault.atServer);
    if ('inDatabase' in fault) await inDatabase(fault.inDatabase);

    const reading = ledger.findBatch(former);
    const writing = ledger.createBatch(aBatch(next));
    await waitFor(async () => (await ledger.outage())?.needsPerson === true);
    expect(await ledger.outage()).toMatchObject({ problem: expect.stringContaining(fault.says) });
    const begunAt = performance.now();
    await expect(openLedger(ofWorker)).rejects.toThrow(LedgerUnreachable);
    expect(performance.now() - begunAt).toBeLessThan(5_000);
    // Longer than the pause between two tries of whatever waits.
    await waitFor(async () => ((await ledger.outage())?.forMs ?? 0) > 2_500);
    expect(lost).toEqual([]);

    if ('newPassword' in fault) keep(fault.newPassword);
    if ('back' in fault) await executeStatements(server, ...fault.back);
    if ('backInDatabase' in fault) await inDatabase(fault.backInDatabase);
    expect(await reading).toMatchObject({ name: former });
    await writing;
    await waitFor(() => ledger.isWorkedOn());
    await waitFor(async () => (await ledger.outage()) === undefined);
    expect(lost).toEqual([]);
  });
});

it('a server that says nothing at all is told of after some seconds, and as back once it answers', async () => {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true, waits: true });
  endAfterTest(() => ledger.close());
  const holder = new pg.Client(connectionTo(place).config);
  await holder.connect();
  await holder.query('begin; lock table batches in access exclusive mode');
  const reading = ledger.findBatch('a');
  await waitFor(async () => (await ledger.outage()) !== undefined);
  expect(await ledger.outage()).toMatchObject({ problem: expect.stringContaining('says nothing') });
  expect((await ledger.outage())?.forMs).toBeGreaterThanOrEqual(10_000);
  await holder.end();
  await reading;
  expect(await ledger.outage()).toBeUndefined();
});
