/** @slow */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { openLedger } from '../../ledger/open-ledger.ts';
import { startPostgres } from '../postgres-server.mjs';
import { fill } from '../ledger/setup.ts';
import { expectRun, lineForEach } from '../starters/command-line.ts';
import { endAfterTest } from '../support/end-after-test.ts';

/**
 * The steps of `deploy/compose` that make users, tables and grants, on a real server that asks each of them for its password.
 * `npm run test:postgres`; `psql` is on the PATH.
 */

const COMPOSE = join(import.meta.dirname, '../../deploy/compose');
const { services, configs } = parse(readFileSync(join(COMPOSE, 'compose.yaml'), 'utf8'), {
  merge: true,
}) as ComposeFile;

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly file?: string }>>;
}

interface Service {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
}

const PASSWORDS = ['POSTGRES', 'OWNER', 'WORKER', 'OPERATOR', 'READER', 'TEMPORAL'].map(
  (name) => [`${name}_PASSWORD`, `secret of ${name}: 'it"s`] as const,
);

let port: number;

/** What compose puts into a service's environment, with the server of the test for the one of compose, and without Temporal. */
function environmentOf(service: string): Record<string, string> {
  const known = new Map(PASSWORDS.map(([name, value]) => [`\${${name}:?}`, value]));
  const { environment = {} } = services[service] ?? {};
  const filled = Object.entries(environment).map(([name, value]): [string, string] => [
    name,
    known.get(value) ?? value,
  ]);
  return Object.fromEntries([
    ...filled
      .filter(([name]) => name !== 'TEMPORAL_ADDRESS')
      .map(([name, value]): [string, string] => [name, value.replace('@postgres:5432', `@127.0.0.1:${String(port)}`)]),
    ...('PGHOST' in environment ? [['PGHOST', '127.0.0.1'] as const, ['PGPORT', String(port)] as const] : []),
  ]);
}

/** Carries out what a service does, and then ends. */
function runStep(name: string): string {
  const { entrypoint = [], command = [], configs: mounted = [] } = services[name] ?? {};
  const [file = '', ...args] = [...entrypoint, ...command];
  const found = args.map((arg) =>
    mounted.reduce((text, { source, target }) => text.replace(target, join(COMPOSE, configs[source]?.file ?? '')), arg),
  );
  const { PATH } = env;
  return execFileSync(file, found, { env: { PATH, ...environmentOf(name) }, encoding: 'utf8', stdio: 'pipe' });
}

describe('compose', () => {
  lineForEach({});

  beforeAll(async () => {
    // The user that the server runs as has to get to its folder.
    chmodSync(tmpdir(), 0o711);
    const server = await startPostgres();
    endAfterTest(server.stop);
    port = Number(new URL(server.url).port);
    const sql = (statement: string): string =>
      execFileSync('psql', ['-q', '-X', '-c', statement, server.url], { encoding: 'utf8' });
    sql(`create role postgres superuser login password '${(PASSWORDS[0]?.[1] ?? '').replaceAll("'", "''")}'`);
    sql('create database voxbatch');
    const own = new URL(server.url).username;
    writeFileSync(
      join(server.data, 'pg_hba.conf'),
      `host all ${own} 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n`,
    );
    sql('select pg_reload_conf()');
  });

  it('makes users, tables and grants in its order, also a second time', async () => {
    for (let time = 0; time < 2; time++) {
      runStep('users');
      Object.assign(env, environmentOf('migrate'));
      await expectRun('ledger migrate', 0, /has the tables of this version/);
      runStep('grants');
    }
  });

  it('its worker records, its operator steers, its reader looks and changes nothing', async () => {
    Object.assign(env, environmentOf('worker'));
    const worker = await openLedger(env['VOXBATCH_LEDGER'] ?? '');
    await fill(worker, 2, 'demo');
    (await worker.lockForWorkers('here'))();
    await worker.close();
    Object.assign(env, environmentOf('command'));
    await expectRun('pause demo', 0);
    Object.assign(env, environmentOf('look'));
    await expectRun('status demo', 75, { out: /paused/ });
    await expectRun('resume demo', 4, /needs the role voxbatch_operator/);
    env['PGPASSWORD'] = 'another';
    await expectRun('status demo', 4, /password/);
  });

  it('lets people of their own logins in by their role, and tells one without a role what it needs', async () => {
    const { PGPASSWORD } = environmentOf('users');
    const admin = { PATH: env['PATH'], PGPASSWORD, PGPORT: String(port) };
    for (const [name, role] of Object.entries({
      ann: 'in role voxbatch_operator',
      guest: 'in role voxbatch_reader',
      bob: '',
    })) {
      const make = `create role ${name} login password 'secret' ${role}`;
      execFileSync('psql', ['-q', '-X', '-h', '127.0.0.1', '-U', 'postgres', '-c', make], { env: admin });
    }
    const useAs = (name: string): void => {
      env['VOXBATCH_LEDGER'] = `postgres://${name}:secret@127.0.0.1:${String(port)}/voxbatch`;
    };
    delete env['PGPASSWORD'];
    useAs('ann');
    await expectRun('resume demo', 0);
    useAs('guest');
    await expectRun('list', 0, { out: /demo/ });
    useAs('bob');
    await expectRun('list', 4, /the user bob may not do this .*denied for database.*grant connect on database/);
  });

  it("keeps Temporal's user out of the ledger, and lets it make its own databases", () => {
    const temporal = { PATH: env['PATH'], PGPASSWORD: environmentOf('temporal')['POSTGRES_PWD'], PGPORT: String(port) };
    const place = ['-q', '-X', '-h', '127.0.0.1', '-U', services['temporal']?.environment['POSTGRES_USER'] ?? ''];
    const psql = (...args: readonly string[]): string =>
      execFileSync('psql', [...place, ...args], { env: temporal, encoding: 'utf8', stdio: 'pipe' });
    psql('-d', 'postgres', '-c', 'create database temporal');
    psql('-d', 'temporal', '-c', 'create extension btree_gin');
    expect(() => psql('-d', 'voxbatch', '-c', 'select 1')).toThrow(/permission denied for database/);
  });
});
