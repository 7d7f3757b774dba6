import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

/** A PostgreSQL server that refuses root runs as this user instead. */
const OTHER_USER = 'nobody';
const HOST = '127.0.0.1';
/** Who owns the databases. */
const USER = 'voxbatch';
/** How often a server is tried to be started, and the pause in between, ms. */
const START_TRIES = 50;
const START_PAUSE_MS = 200;

/**
 * Starts a PostgreSQL server of our own, with a new database, that syncs each commit as the product needs it. Its programs are found in
 * `PG_BIN`, where Debian puts them, or on the PATH. Returns its address, how to kill it and start it again, and how to stop it, which removes
 * the database.
 */
export async function startPostgres() {
  const server = await makeServer((run, data) => {
    run('initdb', '-D', data, '-U', USER, '-A', 'trust', '--locale=C', '-E', 'UTF8');
  });
  return { ...server, replicate: () => startReplica(server) };
}

/**
 * Starts a replica of a server, which follows it. `fallBehind`: from now on it hears nothing more of it. `takeOver`: makes it the primary,
 * at the address of the other one, which must have ended.
 */
async function startReplica({ port: primary }) {
  const server = await makeServer((run, data) => {
    run('pg_basebackup', '-D', data, '-R', '-X', 'stream', '-c', 'fast', '-h', HOST, '-p', `${primary}`, '-U', USER);
  });
  const { run, data, port } = server;
  const ask = (sql) => run('psql', '-X', '-h', HOST, '-p', `${port}`, '-U', USER, '-c', sql, 'postgres');
  return {
    ...server,
    fallBehind: () => {
      ask("alter system set primary_conninfo = ''");
      ask('select pg_reload_conf()');
      ask('do $$ begin while exists (select from pg_stat_wal_receiver) loop perform pg_sleep(0.02); end loop; end $$');
    },
    takeOver: async () => {
      run('pg_ctl', '-D', data, '-w', 'promote');
      run('pg_ctl', '-D', data, '-w', '-m', 'fast', 'stop');
      await server.start(primary);
    },
  };
}

/** Starts a server on data that `make` makes. */
async function makeServer(make) {
  const bin = findPrograms();
  // The folder of a run of tests is closed to other users.
  const folder = mkdtempSync(join(process.env['TEST_POSTGRES_FOLDER'] ?? tmpdir(), 'vb-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  // A server that inherited the output would keep it open.
  const quietly = { cwd: folder, stdio: 'ignore' };
  const commandOf = (program, ...args) => {
    const command = [join(bin, program), ...args];
    return isRoot ? ['runuser', '-u', OTHER_USER, '--', ...command] : command;
  };
  const run = (...command) => {
    const [first, ...args] = commandOf(...command);
    execFileSync(first, args, quietly);
  };
  if (isRoot) {
    const { uid, gid } = idsOf(OTHER_USER);
    chownSync(folder, uid, gid);
  }
  make(run, data);
  const log = join(folder, 'log');
  let isUp = false;
  const start = async (at = port) => {
    const settings = `-p ${at} -k ${folder} -c listen_addresses=${HOST} -c max_connections=300`;
    const [first, ...args] = commandOf('pg_ctl', '-D', data, '-w', '-l', log, '-o', settings, 'start');
    for (let tries = 1; ; tries++) {
      const [code] = await once(spawn(first, args, quietly), 'exit');
      if (code === 0) {
        isUp = true;
        return;
      }
      // Processes that were killed may be there for a while yet, and keep another server from their data.
      if (tries === START_TRIES) throw new Error(`PostgreSQL does not start; its log is ${log}`);
      await sleep(START_PAUSE_MS);
    }
  };
  await start();
  return {
    url: `postgres://${USER}@${HOST}:${port}/postgres`,
    port,
    /** The folder that has its files. */
    data,
    run,
    /** Ends all its processes at once, as a machine that loses power does. */
    kill: () => {
      if (!isUp) return;
      isUp = false;
      const main = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
      const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', `${main}`], { encoding: 'utf8' });
      for (const pid of [main, ...(stdout.match(/\d+/g) ?? []).map(Number)]) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
    },
    /** Keeps its files as they are now, which it must not be using. Returns how to set them back to that. */
    keepFiles: () => {
      const kept = join(folder, 'kept');
      const copy = (from, to) => execFileSync('cp', ['-a', from, to]);
      copy(data, kept);
      return () => {
        rmSync(data, { recursive: true });
        copy(kept, data);
      };
    },
    /** Starts it again, on the same port. Returns once it answers. */
    start,
    stop: () => {
      if (isUp) run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
      isUp = false;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findPrograms() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    process.env['PG_BIN'],
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const found = places.find((place) => place !== undefined && place !== '' && existsSync(join(place, 'pg_ctl')));
  if (found !== undefined) return found;
  throw new Error(
    'There is no PostgreSQL here. Install it (Debian: apt-get install postgresql), or set PG_BIN to the folder of initdb and pg_ctl.',
  );
}

function idsOf(user) {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout));
  return { uid, gid };
}
