import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';
import { findGoProgram } from './go-program.mjs';
import { isListening } from './is-listening.mjs';

/** The Temporal server that tests run on; its release goes with a tool that makes its tables. */
const VERSION = '1.32.1';
/** Each program: the variable that names it, its name in a release, the one that Go gives it, and where its source is. */
const SERVER = ['TEMPORAL_SERVER_BIN', 'temporal-server', 'server', 'cmd/server'];
const SQL_TOOL = ['TEMPORAL_SQL_TOOL_BIN', 'temporal-sql-tool', 'sql', 'cmd/tools/sql'];
/** Databases of a cluster, and the schema of each. */
const SCHEMAS = { temporal: 'postgresql/v12/temporal', visibility: 'postgresql/v12/visibility' };
const SERVICES = ['frontend', 'history', 'matching', 'worker'];
/** One machine needs few; the number of a cluster cannot be changed later. */
const HISTORY_SHARDS = 4;
/** Lines of the server's log that are shown when it does not start. */
const LINES_SHOWN = 15;

/**
 * Starts a Temporal server as a self-hosted cluster has it: all services in one process, its databases in PostgreSQL, made by
 * its own tool. Programs are found in `TEMPORAL_SERVER_BIN` and `TEMPORAL_SQL_TOOL_BIN`, on the PATH, or in the cache; otherwise
 * Go builds them (5 minutes on 2 cores, once).
 *
 * @param postgres address of a PostgreSQL server whose user may create databases
 * @param settings `dynamic`: settings of Temporal's dynamic configuration; `global`: more of the section of that name
 * @returns its address, and its life: `kill` ends it at once, `start` starts it again on the same ports and databases,
 *   `stop` ends it and removes what it had
 */
export async function startTemporalCluster(postgres, { dynamic = {}, global = {} } = {}) {
  const program = findProgram(SERVER);
  const folder = mkdtempSync(join(tmpdir(), 'vb-temporal-'));
  const names = makeDatabases(postgres);
  const ports = await freePorts(2 * SERVICES.length);
  const address = `127.0.0.1:${ports[0]}`;
  const files = {
    config: join(folder, 'config.yaml'),
    dynamic: join(folder, 'dynamic.yaml'),
    log: join(folder, 'log'),
  };
  // JSON is YAML.
  writeFileSync(files.dynamic, JSON.stringify(everywhere(dynamic)));
  writeFileSync(files.config, JSON.stringify(configOf({ postgres, names, ports, files, global })));
  let server;
  const start = async () => {
    // A pipe that nobody reads would stop it.
    const log = openSync(files.log, 'a');
    const args = ['--config-file', files.config, '--allow-no-auth', 'start'];
    server = spawn(program, args, { cwd: folder, stdio: ['ignore', log, log] });
    closeSync(log);
    await untilListening(ports[0], server, files.log);
  };
  const kill = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  };
  const stop = async () => {
    await kill();
    for (const name of Object.values(names)) useSqlTool(postgres, name, ['drop-database', '--force']);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, kill, start, stop };
}

/** Makes the databases, under names of their own. */
function makeDatabases(postgres) {
  const of = randomBytes(4).toString('hex');
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([database, schema]) => {
      const name = `temporal_${of}_${database}`;
      const steps = [['create'], ['setup-schema', '-v', '0.0'], ['update-schema', '--schema-name', schema]];
      for (const step of steps) useSqlTool(postgres, name, step);
      return [database, name];
    }),
  );
}

function useSqlTool(postgres, name, step) {
  const { hostname, port, username } = new URL(postgres);
  const place = ['--plugin', 'postgres12', '--ep', hostname, '-p', port, '-u', username, '--db', name];
  const { status, stdout, stderr } = spawnSync(findProgram(SQL_TOOL), [...place, ...step], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Temporal's SQL tool could not ${step[0]} ${name}: ${stderr}${stdout}`);
}

function configOf({ postgres, names, ports, files, global }) {
  const { host, username } = new URL(postgres);
  const store = (databaseName) => ({
    sql: {
      ...{ pluginName: 'postgres12', databaseName, connectAddr: host, connectProtocol: 'tcp', user: username },
      ...{ maxConns: 20, maxIdleConns: 20, maxConnLifetime: '1h' },
    },
  });
  const rpc = (index) => ({
    rpc: { grpcPort: ports[2 * index], membershipPort: ports[2 * index + 1], bindOnLocalHost: true },
  });
  return {
    log: { stdout: true, level: 'error' },
    persistence: {
      ...{ defaultStore: 'temporal', visibilityStore: 'visibility', numHistoryShards: HISTORY_SHARDS },
      datastores: { temporal: store(names.temporal), visibility: store(names.visibility) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' }, ...global },
    services: Object.fromEntries(SERVICES.map((name, index) => [name, rpc(index)])),
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: {
          ...{ enabled: true, initialFailoverVersion: 1, rpcName: 'frontend' },
          rpcAddress: `127.0.0.1:${ports[0]}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: files.dynamic, pollInterval: '10s' },
  };
}

/** Settings as the dynamic configuration has them, without constraints. */
function everywhere(settings) {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, [{ value, constraints: {} }]]));
}

async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** Finds both programs, so that one that is missing is told, or built, before anything begins. */
export function findTemporalCluster() {
  findProgram(SERVER);
  findProgram(SQL_TOOL);
}

function findProgram([variable, name, built, source]) {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return findGoProgram({
    ...{ variable, name, built, what: name },
    module: `go.temporal.io/server/${source}@v${VERSION}`,
    folder: join(cache, 'voxbatch', `temporal-server-${VERSION}`),
    advice: `Install Temporal's server ${VERSION} (https://github.com/temporalio/temporal/releases), or set ${variable} to the program.`,
  });
}

async function untilListening(port, server, log) {
  for (;;) {
    if (server.exitCode !== null) {
      const said = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LINES_SHOWN).join('\n');
      throw new Error(`The Temporal server ended with ${server.exitCode} before it answered:\n${said}`);
    }
    if (await isListening(port)) return;
    await sleep(50);
  }
}
