import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Unlock } from '../../../ledger/driver.ts';
import { LedgerAway, LedgerInUse } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { advisoryLocks } from '../../../ledger/postgres/locks.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { Gate } from '../../support/gate.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT } from '../setup.ts';

const QUICK = { everyMs: 20, answerMs: 1_000 };

describe('the lock of workers, over a line', () => {
  let direct: string;
  let gate: Gate;
  /** The same ledger through the gate. */
  let through: string;
  let admin: pg.Client;

  beforeEach(async () => {
    // A database of its own: locks are listed by it.
    const url = new URL(process.env['TEST_POSTGRES'] ?? '');
    const name = `l${randomUUID().slice(0, 8)}`;
    const main = new pg.Client({ connectionString: url.href });
    await main.connect();
    await main.query(`create database ${name}`);
    await main.end();
    url.pathname = `/${name}`;
    direct = url.href;
    await (await openLedger(direct, { makesTables: true })).close();
    ({ gate, through } = await Gate.before(direct));
    admin = new pg.Client({ connectionString: direct });
    await admin.connect();
    endAfterTest(() => admin.end());
  });

  /** The server's sessions that hold a lock. */
  async function holders(): Promise<readonly number[]> {
    const { rows } = await admin.query<{ pid: number }>(
      `select distinct pid from pg_locks where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.map(({ pid }) => pid);
  }

  it('is taken again where the line falls silent, although neither end was told', async () => {
    const unlock = await advisoryLocks(through, QUICK).lockForWorkers('one');
    const [former] = await holders();
    gate.hush();
    await waitFor(async () => (await holders()).length === 2);
    unlock();
    await waitFor(async () => (await holders()).length === 1);
    expect(await holders()).toEqual([former]);
  });

  it('is lost for good if the workers of another server have it meanwhile', async () => {
    const told: Error[] = [];
    await advisoryLocks(through, QUICK).lockForWorkers('one', (error) => told.push(error));
    const [former] = await holders();
    gate.refuse();
    gate.hush();
    await admin.query('select pg_terminate_backend($1)', [former]);
    const unlock = await advisoryLocks(direct).lockForWorkers('other');
    await gate.open();
    await waitFor(() => told.length > 0);
    expect(told).toEqual([expect.any(LedgerInUse)]);
    unlock();
  });

  it('is held once, and by nobody after its release, if the line is cut while it is being taken', async () => {
    const unlockAlone = await advisoryLocks(direct).lockAgainstWorkers();
    const taking = advisoryLocks(through, QUICK).lockForWorkers('one');
    const failing = expect(taking).rejects.toBeInstanceOf(LedgerAway);
    await waitFor(() => gate.heard.includes('pg_try_advisory_lock_shared'));
    gate.cut();
    await failing;
    unlockAlone();
    await waitFor(async () => (await holders()).length === 0);
    const unlock = await advisoryLocks(through, QUICK).lockForWorkers('one');
    expect(await holders()).toHaveLength(1);
    unlock();
    await waitFor(async () => (await holders()).length === 0);
  });

  it('does not wait for ever behind a silent line for a lock that another has', async () => {
    const unlock = await advisoryLocks(direct).lockForLoading();
    const waiting = advisoryLocks(through, QUICK).lockForLoading();
    const failing = expect(waiting).rejects.toBeInstanceOf(LedgerAway);
    await waitFor(() => gate.heard.split('advisory_lock').length > 2);
    gate.hush();
    await failing;
    unlock();
  });

  it('outlasts the time after which the server ends idle sessions', async () => {
    await admin.query(`alter database ${new URL(direct).pathname.slice(1)} set idle_session_timeout = '100ms'`);
    const unlock = await advisoryLocks(direct).lockForLoading();
    const other = new pg.Client({ connectionString: direct });
    other.on('error', () => undefined);
    const ended = new Promise((resolve) => other.once('end', resolve));
    await other.connect();
    // It began later, and is ended.
    await ended;
    expect(await holders()).toHaveLength(1);
    unlock();
  });

  it('waits like whatever else is asked where the server is away', async () => {
    const ledger = await openLedger(through, { waits: true });
    endAfterTest(() => ledger.close());
    await gate.shut();
    const asked = [ledger.isWorkedOn(), ledger.lockForFiles(), ledger.lockForLoading(), ledger.lockForWorkers('one')];
    const ended = Promise.all(asked);
    await waitFor(async () => (await ledger.outage()) !== undefined);
    await gate.open();
    const [, ...unlocks] = await ended;
    for (const unlock of unlocks) (unlock as Unlock)();
  });

  it('is waited for by whatever is to be sent while it is missing, and that is told', async () => {
    const user = `u${randomUUID().slice(0, 8)}`;
    await admin.query(`create role ${user} login superuser`);
    const own = new URL(direct);
    own.username = user;
    const ledger = await openLedger(own.href, { waits: true });
    endAfterTest(() => ledger.close());
    await fill(ledger, 2);
    const unlock = await ledger.lockForWorkers('one');
    const [former] = await holders();
    // As after a change of its password: the connections that are there stay.
    await admin.query(`alter role ${user} nologin`);
    await admin.query('select pg_terminate_backend($1)', [former]);
    await waitFor(async () => (await ledger.outage())?.needsPerson === true);
    let verdict: string | undefined;
    const sending = ledger.intend(aKey(1), INTENT).then(({ type }) => {
      verdict = type;
    });
    const unlockOther = await advisoryLocks(direct).lockForWorkers('other');
    expect(verdict).toBeUndefined();
    unlockOther();
    await waitFor(async () => (await holders()).length === 0);
    await admin.query(`alter role ${user} login`);
    await sending;
    expect(verdict).toBe('go');
    expect(await ledger.outage()).toBeUndefined();
    unlock();
  });
});
