import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { LedgerUnreachable } from '../errors.ts';
import { describePlace } from './describe-place.ts';

/** The schema of a ledger whose address names none. */
const DEFAULT_SCHEMA = 'voxbatch';

/**
 * Settings of each session: a commit is durable, and a process that hangs or is cut off blocks other writers for a
 * minute at most.
 */
const SESSION_SETTINGS = {
  synchronous_commit: 'on',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '20s',
  // A session that holds a lock may say nothing for hours.
  idle_session_timeout: '0',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '60000',
};

/** Environment variables of libpq that `pg` ignores, and the URL parameters for which they stand. */
const VARIABLES = {
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
} as const;

/**
 * URL parameters allowed besides ours (`schema`, `service`): those that `pg` applies, and those of libpq that `pg`
 * ignores but that our sessions satisfy anyway. Others are refused, because `pg` would silently ignore a misspelt one.
 */
const PARAMETERS: readonly string[] = [
  ...['host', 'port', 'user', 'password', 'options', 'application_name', 'client_encoding', 'uselibpqcompat'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'],
  ...['connect_timeout', 'keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count'],
  ...['tcp_user_timeout', 'target_session_attrs', 'gssencmode'],
];
/** Accepted values of `sslmode`; `pg` would treat any other as one of them. `allow` may connect without TLS. */
const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Parses int8 and numeric, which arrive as text: times, credits and counts fit into a number. */
const types = new pg.TypeOverrides();
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) types.setTypeParser(type, Number);

/**
 * Returns the settings of a session for the ledger at this URL, and the ledger's schema. Values that the URL lacks come
 * from where PostgreSQL's clients look: a service file (`PGSERVICE`, or `service` in the URL), then the environment,
 * and for the password `~/.pgpass`. `sslmode` means what it means in libpq. Throws `LedgerUnreachable`.
 */
export function connectionTo(
  place: string,
  env: NodeJS.ProcessEnv = process.env,
): { readonly config: pg.ClientConfig; readonly schema: string } {
  const url = new URL(place);
  const take = (name: string): string | null => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const refuse = (problem: string, advice: string): LedgerUnreachable =>
    new LedgerUnreachable(describePlace(place), problem, advice);
  const schema = take('schema') ?? DEFAULT_SCHEMA;
  if (!/^[A-Za-z_]\w*$/.test(schema)) throw refuse('its schema is no plain name', 'Use letters, digits and _.');
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'service' && !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw refuse(
      `its address has a parameter that is not known or not heeded, "${unknown}"`,
      `Correct or remove it in VOXBATCH_LEDGER. There are: schema, service, ${PARAMETERS.join(', ')}.`,
    );
  const service = take('service') ?? env['PGSERVICE'];
  if (service !== undefined) addService(url, readService(service, env, refuse));
  for (const [variable, name] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value !== undefined && value !== '' && !url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    throw refuse(`there is no sslmode ${JSON.stringify(mode)}`, `Use one of ${SSL_MODES.join(', ')}.`);
  if (!url.searchParams.has('uselibpqcompat')) url.searchParams.set('uselibpqcompat', 'true');
  // Ours come last, and so override options of the address.
  const own = Object.entries(SESSION_SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  const options = [take('options') ?? '', `-c search_path=${schema}`, ...own].join(' ').trim();
  return { config: { connectionString: url.href, options, types, application_name: 'voxbatch' }, schema };
}

/** Adds the settings of a service to the URL. What the URL has already stays. */
function addService(url: URL, settings: ReadonlyMap<string, string>): void {
  for (const [name, value] of settings) {
    if (name === 'dbname') url.pathname = url.pathname.length > 1 ? url.pathname : `/${encodeURIComponent(value)}`;
    else if (name === 'user') url.username = url.username === '' ? encodeURIComponent(value) : url.username;
    else if (name === 'password') url.password = url.password === '' ? encodeURIComponent(value) : url.password;
    else if (name === 'host' && url.hostname !== '') continue;
    else if (name === 'port' && url.port !== '') continue;
    else if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  }
}

/** Reads the settings of a service: https://www.postgresql.org/docs/current/libpq-pgservice.html */
function readService(
  service: string,
  env: NodeJS.ProcessEnv,
  refuse: (problem: string, advice: string) => LedgerUnreachable,
): ReadonlyMap<string, string> {
  const own = env['PGSERVICEFILE'] ?? join(homedir(), '.pg_service.conf');
  const system = env['PGSYSCONFDIR'];
  for (const file of [own, ...(system === undefined ? [] : [join(system, 'pg_service.conf')])]) {
    const lines = linesOf(file);
    const begin = lines.indexOf(`[${service}]`);
    if (begin === -1) continue;
    const rest = lines.slice(begin + 1);
    const end = rest.findIndex((line) => line.startsWith('['));
    return new Map(
      (end === -1 ? rest : rest.slice(0, end)).flatMap((line) => {
        const equals = line.indexOf('=');
        return equals < 1 || line.startsWith('#')
          ? []
          : [[line.slice(0, equals).trim(), line.slice(equals + 1).trim()] as const];
      }),
    );
  }
  throw refuse(`there is no service ${JSON.stringify(service)} in ${own}`, 'Correct PGSERVICE, or the file.');
}

/** The trimmed lines of a file; none if it cannot be read. */
function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim());
  } catch {
    return [];
  }
}
