import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openRecords } from '../../../client/open-records.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { readSettings } from '../../../starters/connect/settings.ts';
import { describeService, type Service } from '../../../client/work/folder-service.ts';
import { RESTART_AFTER_S, STOP_TIMEOUT_S, UNITS } from '../../../starters/serve/units.ts';
import { parseEnvironmentFile, parseUnit } from '../../support/unit-file.ts';
import { expectRun, lineForEach, run as voxbatch } from '../command-line.ts';

/** Stands in for `cli.js`: tells how it was started. */
const TELL = `process.stderr.write(JSON.stringify({
  words: process.argv.slice(1), folder: process.cwd(), value: process.env.VALUE, token: process.env.VOXBATCH_API_TOKEN,
}))`;
const TOKEN = 'a %token$ "of" \\ odd letters';

/** Folders as people have them; the last one has all that is special to some service manager. */
const FOLDERS = ['plain', 'with spaces', '50% & <more>', `O'Neill's`, 'a "quoted" $HOME `x` ;#*?[1] ~ é'];

let root = '';
beforeEach(async () => {
  root = realpathSync(await mkdtemp(join(tmpdir(), 'voxbatch-units-')));
});
afterEach(() => rm(root, { recursive: true }));

/** The service of a folder, which is there, with the file of its secrets. */
function serviceIn(name: string, change: Partial<Service> = {}): Service {
  const workingDirectory = join(root, name);
  const environmentFile = join(workingDirectory, 'service.env');
  mkdirSync(workingDirectory);
  writeFileSync(environmentFile, `VOXBATCH_API_TOKEN='${TOKEN}'\n`);
  return {
    name: 'voxbatch-x',
    voxbatch: [process.execPath, '-e', TELL.replaceAll('\n', ' '), '--', `--of=${name}`],
    workingDirectory,
    environment: { PATH: process.env['PATH'] ?? '', VALUE: `= ${name} =` },
    environmentFile,
    needsFile: true,
    log: join(workingDirectory, 'log'),
    isRoot: false,
    ...change,
  };
}

function run([program = '', ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv): string {
  return spawnSync(program, args, { cwd, env, encoding: 'utf8' }).stderr;
}

/** What the service was to tell. */
function told(name: string, { workingDirectory }: Service, flags: readonly string[] = []): unknown {
  return { words: [`--of=${name}`, 'up', ...flags], folder: workingDirectory, value: `= ${name} =`, token: TOKEN };
}

describe('a unit for systemd', () => {
  it.each(FOLDERS)('starts in the folder %s with its settings and secrets', (name) => {
    const service = serviceIn(name);
    const unit = parseUnit(UNITS.systemd.write(service));
    const secrets = parseEnvironmentFile(readFileSync(unit.environmentFile.path, 'utf8'));
    const env = { ...unit.environment, ...secrets };
    expect(JSON.parse(run(unit.execStart, unit.workingDirectory, env))).toEqual(told(name, service));
    const waiting = JSON.parse(run(unit.execStartPost, unit.workingDirectory, env)) as unknown;
    expect(waiting).toEqual(told(name, service, ['--wait', '10m']));
  });

  it('is restarted without end, and gets the time that it needs to stop', () => {
    expect(parseUnit(UNITS.systemd.write(serviceIn('a')))).toMatchObject({
      restart: 'always',
      killMode: 'mixed',
      killSignal: 'SIGTERM',
      restartMs: 10_000,
      startTimeoutMs: 660_000,
      stopTimeoutMs: 60_000,
      environmentFile: { isOptional: false },
    });
    const lone = UNITS.systemd.write(serviceIn('b', { needsFile: false, isRoot: true }));
    expect(parseUnit(lone).environmentFile.isOptional).toBe(true);
    expect(lone).toContain('WantedBy=multi-user.target');
  });
});

it('docs/guide/service.md states the times of the units', () => {
  const page = readFileSync(new URL('../../../docs/guide/service.md', import.meta.url), 'utf8');
  expect(page).toContain(`allows ${String(STOP_TIMEOUT_S)} s before it kills`);
  expect(page).toContain(`started again after ${String(RESTART_AFTER_S)} s`);
  expect(page).toContain(`docker stop -t ${String(STOP_TIMEOUT_S)}`);
});

describe('a property list for launchd', () => {
  /** Reads what it says: this form alone. */
  function parse(text: string): { readonly program: string[]; readonly values: Record<string, string> } {
    const plain = (xml: string): string => xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const array = /<array>([^]*?)<\/array>/.exec(text)?.[1] ?? '';
    const pairs = text.matchAll(/<key>(.*)<\/key>\n\s*(?:<(?:string|integer)>(.*)<\/\w+>|<(true)\/>)/g);
    return {
      program: [...array.matchAll(/<string>(.*)<\/string>/g)].map(([, word = '']) => plain(word)),
      values: Object.fromEntries([...pairs].map(([, key = '', value, yes = '']) => [key, plain(value ?? yes)])),
    };
  }

  it.each(FOLDERS)('starts in the folder %s with its settings and secrets', (name) => {
    const service = serviceIn(name);
    const { program, values } = parse(UNITS.launchd.write(service));
    const { WorkingDirectory = '', PATH, VALUE } = values;
    expect(JSON.parse(run(program, WorkingDirectory, { PATH, VALUE }))).toEqual(told(name, service));
    expect(values).toMatchObject({ KeepAlive: 'true', RunAtLoad: 'true', ExitTimeOut: '60', ThrottleInterval: '10' });
    expect(values).toMatchObject({ StandardErrorPath: service.log, Label: 'voxbatch-x' });
  });

  it('starts without a file of secrets where none is needed', async () => {
    const service = serviceIn('a', { needsFile: false });
    await rm(service.environmentFile);
    const { program, values } = parse(UNITS.launchd.write(service));
    expect(run(program, service.workingDirectory, { PATH: values['PATH'] })).toContain('"words":["--of=a","up"]');
  });
});

/** A ledger and a store on this machine. */
const LOCAL = { ledger: '/a/ledger.db', store: '/a/store' };

it('the name of a service tells apart two homes whose folders have the same name', () => {
  const names = ['/a/.voxbatch', '/b/.voxbatch'].map(
    (home) => describeService({ home, ...LOCAL, env: {} }, { cli: '/cli.js' }).service.name,
  );
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^voxbatch-[a-z0-9-]*[0-9a-f]{6}$/);
});

it('the settings of a service are those of proxies and authorities, too; a proxy with a password goes to the file of secrets', () => {
  const env = {
    HTTPS_PROXY: 'http://me:s3cret@proxy.example:3128',
    http_proxy: 'http://proxy.example:3128',
    NO_PROXY: 'inside.example',
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  };
  const { service, secrets } = describeService({ home: '/a', ...LOCAL, env }, { cli: '/cli.js' });
  const { http_proxy, NO_PROXY, NODE_EXTRA_CA_CERTS } = env;
  expect(service.environment).toMatchObject({ http_proxy, NO_PROXY, NODE_EXTRA_CA_CERTS });
  expect(secrets).toContain('HTTPS_PROXY');
  expect(JSON.stringify(service)).not.toContain('s3cret');
});

it('a service with a ledger in PostgreSQL and a store in a bucket has the settings of both, and their secrets in its file', () => {
  const env = {
    ...{ PGPASSWORD: 'p4ss', PGPASSFILE: '/etc/pgpass', PGSSLMODE: 'verify-full' },
    ...{ AWS_REGION: 'eu-north-1', AWS_SECRET_ACCESS_KEY: 's3cret', AWS_WEB_IDENTITY_TOKEN_FILE: '/run/token' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_EXPORTER_OTLP_HEADERS: 'key=h1dden' },
    ...{ VOXBATCH_OPERATOR: 'night', VOXBATCH_PAYLOAD_KEYS: 'a:k3y', VOXBATCH_CODEC_TOKEN: 't0ken', EDITOR: 'vi' },
  };
  const places = { ledger: 'postgresql://db.example/vox', store: 's3://media/vox' };
  const { service, secrets } = describeService({ home: '/a', env, ...places }, { cli: '/cli.js' });
  expect(service.environment).toEqual({
    ...{ VOXBATCH_HOME: '/a', VOXBATCH_OPERATOR: 'night', PGPASSFILE: '/etc/pgpass', PGSSLMODE: 'verify-full' },
    ...{ AWS_REGION: 'eu-north-1', AWS_WEB_IDENTITY_TOKEN_FILE: '/run/token' },
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  });
  const ofPlaces = ['AWS_SECRET_ACCESS_KEY', 'PGPASSWORD'];
  const always = ['VOXBATCH_API_TOKEN', 'VOXBATCH_PAYLOAD_KEYS', 'OTEL_EXPORTER_OTLP_HEADERS'];
  expect([...secrets].sort()).toEqual([...ofPlaces, ...always].sort());
  const local = describeService({ home: '/a', env, ...LOCAL }, { cli: '/cli.js' });
  expect([...local.secrets].sort()).toEqual([...always].sort());
});

describe('lines for cron', () => {
  /** What cron gives to the shell: up to a bare `%`, and without the backslashes before the others. */
  function commandIn(line: string): string {
    const command = line.replace(/^(@reboot|\*\/5 \* \* \* \*) /, '');
    expect(command).not.toBe(line);
    expect(command).not.toMatch(/(^|[^\\])%/);
    return command.replaceAll('\\%', '%');
  }

  it.each(FOLDERS)('start in the folder %s with its settings and secrets', (name) => {
    const service = serviceIn(name);
    const [, reboot = '', often = ''] = UNITS.cron.write(service).split('\n');
    expect(commandIn(often)).toBe(commandIn(reboot));
    expect(run(['/bin/sh', '-c', commandIn(often)], '/', { PATH: '/usr/bin:/bin' })).toBe('');
    expect(JSON.parse(readFileSync(service.log, 'utf8'))).toEqual(told(name, service, ['--unless-running']));
  });

  it('start without a file of secrets where none is needed', async () => {
    const service = serviceIn('a', { needsFile: false });
    await rm(service.environmentFile);
    const [, reboot = ''] = UNITS.cron.write(service).split('\n');
    run(['/bin/sh', '-c', commandIn(reboot)], '/', {});
    expect(readFileSync(service.log, 'utf8')).toContain('"words":["--of=a","up","--unless-running"]');
  });
});

describe('up --print-unit', () => {
  // Short, as a line for cron must be: a test command of npm has a long PATH.
  lineForEach({ VOXBATCH_API_URL: 'http://127.0.0.1:1/api/open/v1', PATH: '/usr/bin:/bin' });
  beforeEach(() => {
    process.env['VOXBATCH_API_TOKEN'] = 'the-token';
  });
  const PRINT = 'up --print-unit';

  it.each(['systemd', 'launchd', 'cron'])(
    'prints a unit for %s that holds no secret, and says where those go',
    async (manager) => {
      process.env['VOXBATCH_NOTIFY_SECRET'] = 'the-secret';
      const env = /services\/voxbatch-[a-z0-9-]+\.env/;
      const out = [env, process.execPath, process.cwd(), 'http://127.0.0.1:1/api/open/v1'];
      const err = '"$VOXBATCH_API_TOKEN" "$VOXBATCH_NOTIFY_SECRET" >';
      await expectRun(`${PRINT} ${manager}`, 0, { out, err, not: /the-token|the-secret/ });
    },
  );

  it.each(['VOXBATCH_API_URL', 'VOXBATCH_LEDGER'])('does not print a %s with a password', async (name) => {
    process.env[name] = 'https://me:pass-word@api.example/v1';
    await expectRun(`${PRINT} systemd`, 2, { out: '', err: name, not: 'pass-word' });
  });

  it('leaves the token in its file, and refuses what no unit can hold', async () => {
    Object.assign(process.env, { VOXBATCH_API_TOKEN: '', VOXBATCH_API_TOKEN_FILE: '/run/token' });
    const file = 'Environment=VOXBATCH_API_TOKEN_FILE=/run/token\nEnvironment=VOXBATCH_HOME=';
    await expectRun(`${PRINT} systemd`, 0, { out: [file, 'EnvironmentFile=-'], not: 'secret' });
    process.env['VOXBATCH_STORE'] = 'two\nlines';
    await expectRun(`${PRINT} launchd`, 2, 'cannot hold the value "two\\nlines"');
    process.env['VOXBATCH_STORE'] = 'x'.repeat(1_000);
    await expectRun(`${PRINT} cron`, 2, '998');
    await expectRun(`${PRINT} upstart`, 2);
    delete process.env['VOXBATCH_API_URL'];
    await expectRun(`${PRINT} cron`, 5);
  });

  it('is printed again after the secrets were written, in a new folder', async () => {
    const first = await voxbatch(`${PRINT} systemd`);
    const file = parseUnit(first.stdout).environmentFile.path;
    writeFileSync(file, "VOXBATCH_API_TOKEN='the-token'\n");
    expect(await voxbatch(`${PRINT} systemd`)).toEqual({ ...first, code: 0 });
    expect((statSync(dirname(file)).mode & 0o777).toString(8)).toBe('700');
  });

  /** What came with a folder: a file that a service would run, if it were read. */
  const ship = (): void => {
    mkdirSync('.voxbatch');
    writeFileSync(join('.voxbatch', 'service.env'), 'touch ran\n');
  };
  /** Does what cron does with its line, but for the command itself, and returns whether what came with the folder was run. */
  async function runsByCron(): Promise<boolean> {
    const { stdout } = await expectRun(`${PRINT} cron`, 0);
    const found = /^@reboot (.*) exec /m.exec(stdout);
    spawnSync('/bin/sh', ['-c', `${found?.[1] ?? ''} true`]);
    return existsSync('ran');
  }

  it.each([false, true])(
    'has nothing run that came with the folder; another command has made a ledger: %j',
    async (isMade) => {
      ship();
      if (isMade) await (await openRecords(await readSettings(), {})).close();
      expect(await runsByCron()).toBe(false);
      // Nor one that comes later, with a pull.
      await expectRun(`${PRINT} cron`, 0, { not: join(process.cwd(), '.voxbatch', 'service.env') });
    },
  );

  it('has nothing run that came with the folder where its user has named a ledger elsewhere; a home that they name is theirs', async () => {
    ship();
    process.env['VOXBATCH_LEDGER'] = join(process.cwd(), 'mine.db');
    expect(await runsByCron()).toBe(false);
    process.env['VOXBATCH_HOME'] = join(process.cwd(), '.voxbatch');
    expect(await runsByCron()).toBe(true);
  });

  it('is refused where the ledger came with the folder', async () => {
    mkdirSync('.voxbatch');
    await (await openLedger(join('.voxbatch', 'ledger.db'))).close();
    await expectRun(`${PRINT} cron`, 2, { out: '', err: 'run: voxbatch trust' });
  });
});
