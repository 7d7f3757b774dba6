/** @slow */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { parseAllDocuments } from 'yaml';
import { checkSchedules, listSchedules, showSchedule } from '../../client/schedules/schedule-view.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { aBatch, aKey, aRow, fill, INTENT } from '../ledger/setup.ts';
import { expectRun, lineForEach } from '../starters/command-line.ts';
import { ANN } from '../support/ann.ts';
import { executeStatements } from '../support/execute-statements.ts';
import { settle, specOf } from '../support/schedule-on-record.ts';
import { pretendSchedules } from '../support/schedule-server.ts';
import { GRANTS } from '../support/role-grants.ts';

/**
 * The roles of `deploy/postgres/roles.sql` on a real server (`npm run test:postgres`), each in a session of its own: what
 * commands of the reader and the operator may do.
 */

const server = env['TEST_POSTGRES'];
const id = randomUUID().slice(0, 8);
/** Address of the ledger for one of the roles, or its owner. */
function addressFor(user: 'owner' | 'reader' | 'operator' | 'worker'): string {
  const url = new URL(server ?? '');
  url.pathname = `/roles_${id}`;
  url.username = `${user}_${id}`;
  return url.href;
}

/** What the rule of the scaler asks the ledger, as a reader. */
async function wantedByScaler(): Promise<number> {
  const rule = parseAllDocuments(
    readFileSync(join(import.meta.dirname, '../../deploy/kubernetes/scaler.yaml'), 'utf8'),
  );
  const words = rule.flatMap((one) => (one.getIn(['spec', 'triggers', 0, 'metadata', 'query']) ?? []) as string);
  const client = new pg.Client({ connectionString: addressFor('reader') });
  await client.connect();
  const { rows } = await client.query<{ readonly wanted: string }>(words.join('')).finally(() => client.end());
  return Number(rows[0]?.wanted);
}

describe('the roles of a ledger', () => {
  lineForEach(server === undefined ? {} : { VOXBATCH_LEDGER: addressFor('reader') });
  let worker: Ledger;

  /** What the owner of the database does first, as `docs/guide/cluster.md` says. */
  beforeAll(async () => {
    await executeStatements(
      server ?? '',
      `create role owner_${id} login`,
      `create database roles_${id} owner owner_${id}`,
    );
    await (await openLedger(addressFor('owner'), { makesTables: true })).close();
    const admin = new URL(addressFor('owner'));
    admin.username = new URL(server ?? '').username;
    const logins = ['reader', 'operator', 'worker'].map(
      (role) => `create role ${role}_${id} login in role voxbatch_${role}`,
    );
    // It may be repeated.
    await executeStatements(admin.href, GRANTS, GRANTS, ...logins);
    worker = await openLedger(addressFor('worker'));
    await fill(worker, 3, 'demo');
  });
  afterAll(async () => {
    await worker.close();
    await executeStatements(server ?? '', `drop database roles_${id} with (force)`, `drop role owner_${id}`);
  });

  it('workers load, send, record and settle', async () => {
    const loading = await worker.createBatch(aBatch('work'));
    await worker.addRows(loading, [aRow(1)]);
    await worker.openBatch(loading, 1);
    const lane = await worker.acquireLane({ batch: 'work', lane: 1, run: 'r', owner: 'w1' });
    expect(await worker.claimRows({ ...lane, limit: 5 })).toMatchObject({ rows: [{}] });
    const key = { ...aKey(1), batch: 'work' };
    expect(await worker.intend(key, INTENT)).toMatchObject({ type: 'go' });
    await worker.settle(key, { verdict: 'unknown' }, { outcome: 'unknown' });
    (await worker.lockForWorkers('here'))();
  });

  it.each([
    ['list', 0],
    ['status demo', 75],
    ['explain r1 --batch demo', 0],
    ['history demo', 0],
    ['cache list', 0],
    ['results demo', 75],
    ['watch demo', 75],
    ['compare demo work', 75],
    ['tune demo', 0],
  ])('readers can look: %s', (line, code) => expectRun(line, code, { not: /may not|permission/ }));

  it('readers can check schedules, and see what they may not put on record', async () => {
    const minute = 60_000;
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    const operator = await openLedger(addressFor('operator'));
    await settle(operator, 'seen', { spec: specOf({ every: '1s' }) });
    await operator.noteSkips('seen', { skipped: [], until: now - 10 * minute });
    await operator.close();
    const reader = await openLedger(addressFor('reader'));
    try {
      const begun = { schedule: 'seen', at: now - 20 * minute };
      await worker.beginOccurrence(begun);
      const server = pretendSchedules(reader, { due: [now - 5 * minute, now - 4 * minute] });
      const check = await checkSchedules(server, { since: 0 });
      expect(check).toMatchObject({ inOrder: false, schedules: [{ schedule: 'seen' }] });
      const [seen] = check.schedules;
      expect(seen?.lost === false && seen.occurrences.map(({ state, amiss }) => `${state} ${amiss}`)).toEqual([
        ...['failed true', 'failed true', 'failed true'],
      ]);
      expect(await listSchedules(server)).toMatchObject([{ lastState: 'failed', amissInARow: 3 }]);
      expect((await showSchedule(server, 'seen')).view.occurrences).toHaveLength(3);
      // Only on record is what those found who may record it.
      expect(await worker.occurrencesOf('seen')).toMatchObject([{ at: begun.at, state: 'running' }]);
      await checkSchedules(pretendSchedules(worker, { due: [now - 5 * minute] }), { since: 0 });
      expect((await worker.occurrencesOf('seen')).map(({ state }) => state)).toEqual(['failed', 'failed']);
    } finally {
      await reader.close();
      await executeStatements(
        addressFor('owner'),
        `delete from voxbatch.schedules`,
        `delete from voxbatch.allowed_firings`,
      );
    }
  });

  it('readers can ask what the scaler of Kubernetes asks', async () => {
    // Those of `demo`, and its batch, and that of `work`, whose row is in doubt.
    expect(await wantedByScaler()).toBe(5);
  });

  it('the scaler wants a worker where only rows wait for a voice, and where a schedule is to fire; none where all is paused', async () => {
    const before = await wantedByScaler();
    const loading = await worker.createBatch(aBatch('voices'));
    await worker.addRows(loading, [aRow(1)]);
    await worker.openBatch(loading, 1);
    const owner = addressFor('owner');
    const within = 'set search_path = voxbatch';
    await executeStatements(owner, within, `update rows set state = 'blocked', awaits = 'v' where batch = 'voices'`);
    expect((await worker.counts('voices')).states).toMatchObject({ blocked: 1, waiting: 0 });
    expect(await wantedByScaler()).toBe(before + 1);
    await worker.setControl('voices', 'paused');
    expect(await wantedByScaler()).toBe(before);

    const fires = `insert into voxbatch.allowed_firings (schedule, kind, from_at, until_at, at)`;
    const [now, later] = [Date.now(), Date.now() + 600_000];
    for (const [values, more] of [
      [`'nightly', 'due', ${String(now)}, null, null`, 1],
      [`'was paused', 'due', 0, ${String(now)}, null`, 0],
      [`'by hand', 'trigger', 0, ${String(later)}, null`, 1],
      [`'by hand', 'trigger', 0, ${String(later)}, ${String(now)}`, 0],
      [`'caught up', 'backfill', 0, 1, ${String(now)}`, 1],
      [`'caught up', 'backfill', 0, 1, 1`, 0],
    ] as const) {
      await executeStatements(owner, `${fires} values (${values})`);
      expect([values, await wantedByScaler()]).toEqual([values, before + more]);
      await executeStatements(owner, 'delete from voxbatch.allowed_firings');
    }
    await executeStatements(owner, within, `update rows set state = 'waiting', awaits = null where batch = 'voices'`);
    await worker.stopNow('voices', ANN);
  });

  it.each(['pause demo', 'stop demo', 'stop demo --now', 'tune demo --rate 3'])(
    'readers change nothing: %s',
    async (line) => {
      const before = await worker.actionsOf({});
      await expectRun(
        line,
        4,
        /the user reader_\w+ may not do this \(permission denied .*needs the role voxbatch_operator/,
      );
      expect(await worker.actionsOf({})).toEqual(before);
      expect(await worker.findBatch('demo')).toMatchObject({
        control: 'running',
        settings: { limits: { rate: null } },
      });
    },
  );

  it('only the owner migrates', async () => {
    await executeStatements(addressFor('owner'), `delete from voxbatch.voxbatch_migrations where name <> '0.1'`);
    await expectRun('ledger migrate', 4, 'the user may not do this');
    await expectRun(
      'status demo',
      4,
      /Only the owner of the ledger makes and updates its tables: voxbatch ledger migrate\. If that was done, grant the roles \(deploy\/postgres\/roles\.sql\)/,
    );
    await executeStatements(
      addressFor('owner'),
      'drop table voxbatch.actions, voxbatch.job_hints, voxbatch.worker_duties',
    );
    env['VOXBATCH_LEDGER'] = addressFor('owner');
    await expectRun('ledger migrate', 0, 'has the tables of this version');
    await executeStatements(addressFor('owner'), GRANTS);
    env['VOXBATCH_LEDGER'] = addressFor('reader');
    await expectRun('status demo', 75);
  });

  it('operators steer, and are on record', async () => {
    env['VOXBATCH_LEDGER'] = addressFor('operator');
    env['VOXBATCH_OPERATOR'] = 'Ann';
    for (const line of ['pause work', 'resume work', 'tune work --budget 50', 'stop work']) await expectRun(line, 0);
    expect((await worker.actionsOf({ batch: 'work' })).map(({ kind, actor }) => `${kind} ${actor.name}`)).toEqual([
      ...['pause Ann', 'resume Ann', 'tune Ann', 'stop Ann'],
    ]);
  });

  it('operators load a batch, settle and redrive rows, but record no paid request', async () => {
    const operator = await openLedger(addressFor('operator'));
    try {
      const loading = await operator.createBatch(aBatch('mine'));
      await operator.addRows(loading, [aRow(1)]);
      await operator.openBatch(loading, 1, ANN);
      await expect(operator.intend({ ...aKey(1), batch: 'mine' }, INTENT)).rejects.toThrow(
        'permission denied for table charges',
      );
      const key = { ...aKey(1), batch: 'work' };
      expect(await operator.decide(key, { type: 'adopted', jobId: 'j' }, ANN)).toBe(true);
      expect(await operator.decide(key, { type: 'released', jobId: 'j' }, ANN)).toBe(true);
      const pay = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
      await operator.closeBatch('work');
      const { rows } = await operator.redrive('work', [{ row: 1, take: 1, outcome: 'unknown', how: pay }], ANN);
      expect(rows).toEqual([1]);
      await operator.stopNow('work', ANN);
      await operator.setControl('mine', 'stopping', undefined, ANN);
      await operator.cancelRest('mine');
      await operator.closeBatch('mine');
      expect(await operator.beginClean('mine', { media: true, rows: true }, ANN)).toMatchObject({ type: 'begun' });
      expect(await operator.cleanRows('mine', [1])).toEqual([1]);
      await operator.endClean('mine');
      const half = await operator.createBatch(aBatch('half'));
      await operator.addRows(half, [aRow(1)]);
      await operator.discardLoading('half');
      expect(await operator.findBatch('half')).toBeUndefined();
    } finally {
      await operator.close();
    }
  });

  it('operators cannot say that a request was for another row, or sent by another or at another time', async () => {
    const columns = ['batch', 'row', 'step', 'take', 'attempt', 'owner', 'intent_at'];
    for (const column of columns)
      await expect(
        executeStatements(addressFor('operator'), `update voxbatch.charges set ${column} = ${column}`),
      ).rejects.toThrow('permission denied for table charges');
    const settles = 'update charges set state = state, job_id = job_id';
    await executeStatements(addressFor('operator'), 'set search_path = voxbatch', settles);
  });

  it.each([
    ['reader', 'select address from voxbatch.webhooks'],
    ['reader', 'select before from voxbatch.webhooks'],
    ['reader', 'select * from voxbatch.webhooks'],
    ['reader', `update voxbatch.facts set value = 'x'`],
    ['operator', `update voxbatch.facts set value = 'x' where name = 'id'`],
    ['operator', `update voxbatch.facts set name = 'x' where name = 'id'`],
    ['operator', `delete from voxbatch.facts where name = 'id'`],
    ['operator', `update voxbatch.facts set value = 'x' where name = 'database'`],
    ['operator', `delete from voxbatch.facts where name = 'store'`],
    ['worker', `update voxbatch.facts set value = 'x' where name = 'id'`],
    ['worker', `delete from voxbatch.facts where name = 'id'`],
    ['worker', `delete from voxbatch.facts where name = 'database'`],
    ['worker', `update voxbatch.facts set value = 'x' where name = 'database'`],
    ['worker', `update voxbatch.facts set value = 'x' where name = 'store'`],
    ['worker', `delete from voxbatch.facts where name = 'store'`],
  ] as const)('refused: %s: %s', async (role, statement) => {
    await worker.recordStore('the store');
    await expect(executeStatements(addressFor(role), statement)).rejects.toThrow('permission denied');
  });

  it('readers see whose webhook is used, operators replace a lost store and accept a copy', async () => {
    await executeStatements(addressFor('reader'), 'select api_url, account, owner, taken_at from voxbatch.webhooks');
    const operator = await openLedger(addressFor('operator'));
    try {
      await operator.recordStore('the store');
      await operator.replaceStore('a new one');
      expect(await operator.recordStore('another')).toBe('a new one');
      // Whoever sees its disk set back says so to all.
      const owner = addressFor('owner');
      await executeStatements(owner, `update voxbatch.facts set value = '0 0' where name like 'commit:%'`);
      await expect(worker.setControl('demo', 'running')).rejects.toThrow('a disk that was set back');
      const later = await openLedger(addressFor('worker'));
      await expect(later.setControl('demo', 'running')).rejects.toThrow('a disk that was set back');
      await later.close();
      await operator.acceptCopy(ANN);
      // What the store proves is a paid request, which workers record.
      const [held] = await worker.heldBatches();
      const files = [{ key: 'x', row: 3, step: 'speech', take: 1, writtenAt: 1 }];
      const found = { from: 1, by: ANN };
      const name = held?.batch ?? '';
      await expect(operator.noteFoundFiles(name, files, found)).rejects.toThrow('ledger compare-store');
      expect(await worker.noteFoundFiles(name, files, found)).toEqual({ rows: [3], unplaced: [] });
      // Nobody else wrote to it.
      await operator.clearDoubts(ANN);
      // The next writer puts its database on record.
      await worker.setControl('demo', 'paused');
      await worker.setControl('demo', 'running');
    } finally {
      await operator.close();
    }
  });

  it.each(['operator', 'worker'] as const)(
    '%s cannot remove or change what is evidence, nor the tables',
    async (role) => {
      for (const statement of [
        'delete from voxbatch.charges',
        'delete from voxbatch.actions',
        `update voxbatch.actions set actor = 'somebody else'`,
        'update voxbatch.decisions set who = null',
        'drop table voxbatch.charges',
        'create table voxbatch.mine (a int)',
        'alter table voxbatch.charges disable trigger all',
        'truncate voxbatch.charges',
      ])
        await expect(executeStatements(addressFor(role), statement)).rejects.toThrow(/permission denied|must be owner/);
    },
  );
});
