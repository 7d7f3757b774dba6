import { whyOfGuard } from '../copy/read-only.ts';
import { DuplicateKey, LedgerAway, LedgerForbidden, LedgerReadOnly, LedgerUnreachable } from '../errors.ts';
import { describePlace } from './describe-place.ts';
import { PasswordMissing } from './password-file.ts';
import { NO_RIGHT, RightTaken } from './taken-rights.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const UNIQUE_VIOLATION = '23505';
/** Code that the guard of a read-only ledger raises (`copy-dialect.ts`), of a class that PostgreSQL does not use. */
export const READ_ONLY = 'VB001';
/**
 * Error of a prepared statement whose tables have changed. Its code is shared with others, and its message is in the
 * server's language, so it is recognised by the server's function that raises it.
 */
const STALE_PLAN = { code: '0A000', routine: 'RevalidateCachedQuery' };

type ErrorClass = new (...about: ConstructorParameters<typeof LedgerUnreachable>) => LedgerUnreachable;

/** The server answers, but a person has to fix something first. */
export class LedgerNeedsPerson extends LedgerAway {
  constructor(...[path, problem, advice, cause]: ConstructorParameters<typeof LedgerUnreachable>) {
    super(path, problem, advice, cause, true);
  }
}

/** Part of advice for errors that an unfinished restore causes, too. */
const RESTORED_FIRST = 'If the database is being restored, end that first. ';

const INCOMPLETE = [
  LedgerNeedsPerson,
  'its tables are not there, or not complete',
  'If the database is being restored, end that first; else correct VOXBATCH_LEDGER.',
] as const;

/**
 * The error to throw for each of PostgreSQL's error codes, by prefix: its class, problem and advice. The first match
 * counts, so longer prefixes come first.
 */
const EXPLANATIONS: readonly (readonly [prefix: string, kind: ErrorClass, problem: string, advice: string])[] = [
  [
    '53100',
    LedgerNeedsPerson,
    'the disk of the database server is full',
    'Free some space there. Workers go on by themselves then; run any other command again.',
  ],
  ['53200', LedgerAway, 'the database server has too little memory', 'Look into its log.'],
  ['53300', LedgerAway, 'the database server has too many connections', 'Raise max_connections, or end other clients.'],
  [
    '28',
    LedgerNeedsPerson,
    'the database server refused the user',
    'Check user and password. One in a password file (PGPASSFILE, ~/.pgpass) is read at each try; one in VOXBATCH_LEDGER or PGPASSWORD once.',
  ],
  ['3D', LedgerNeedsPerson, 'there is no such database', 'Create or restore it, or correct VOXBATCH_LEDGER.'],
  ['55000', LedgerNeedsPerson, 'the database takes no connections', 'Allow them again: alter database.'],
  // No statement of ours names a table or an index that a whole ledger lacks.
  ['42P01', ...INCOMPLETE],
  ['42P10', ...INCOMPLETE],
  [
    NO_RIGHT,
    LedgerUnreachable,
    'the user may not do this',
    `${RESTORED_FIRST}Only the owner of the ledger makes and updates its tables: voxbatch ledger migrate. If that was done, grant the roles (deploy/postgres/roles.sql), and this user one of them.`,
  ],
  [
    '57014',
    LedgerAway,
    'the database server cancelled a statement',
    'Run the same command again. If it does so each time, a pooler or a function sets a statement_timeout: take that away.',
  ],
  ['57P', LedgerAway, 'the database server is stopping or starting', 'Run the same command again once it runs.'],
  ['58', LedgerAway, 'the database server failed', 'Look into its log.'],
  ['08', LedgerAway, 'the connection to the database server broke', 'Run the same command again once it runs.'],
  ['25P03', LedgerAway, 'the database server ended an idle transaction', 'Run the same command again.'],
  ['25P04', LedgerAway, 'the database server ended a long transaction', 'Run the same command again.'],
  // A former primary, until the address leads to the new one.
  ['25006', LedgerAway, 'the database is read-only', 'Connect to the primary server.'],
  ['40', LedgerAway, 'the database server gave up a transaction', 'Run the same command again.'],
];

/** Advice for a missing right, by words in the server's message. */
const OF_RIGHTS: readonly (readonly [words: string, advice: string])[] = [
  [
    'permission denied for database',
    'Let those with a role connect (deploy/postgres/users.sql does): grant connect on database … to voxbatch_operator, voxbatch_worker, voxbatch_reader. And grant this user one of the roles, if it has none.',
  ],
  [
    'permission denied for table',
    'It needs the role voxbatch_operator for commands that change something, voxbatch_worker for a worker, for `ledger compare-store` and, where TEMPORAL_ADDRESS is not set, for commands that work on the batch themselves, such as run; after an upgrade, grant the roles again (deploy/postgres/roles.sql).',
  ],
];

/** Error classes of a statement itself: data, constraints, syntax and rights. All others are about the server. */
const OF_STATEMENTS = ['22', '23', '42'];

/** Codes of Node's sockets: the server cannot be reached, or the connection broke. */
const OF_SOCKETS = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENETDOWN', 'ENETRESET', 'ENOTCONN', 'EPIPE', 'EAI_AGAIN'],
];
/** Beginnings of messages of `pg` about the connection, which have no code. */
const OF_CONNECTIONS = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
];

/** The members of an error of `pg` that are used here. */
interface ServerError {
  readonly code?: string;
  readonly message?: string;
  /** The server's function that threw it. */
  readonly routine?: string;
}

/**
 * Returns the error to throw for an error of `pg` (or of a socket): one of the ledger's if it is about an existing key,
 * the server or the connection; otherwise the error itself. `place`: the ledger's address.
 */
export function explain(place: string, error: unknown): Error {
  const { code = '', routine, message = String(error) } = error as ServerError;
  if (code === UNIQUE_VIOLATION) return new DuplicateKey(message, error);
  const shown = describePlace(place);
  const why = code === READ_ONLY ? whyOfGuard(message) : undefined;
  if (why !== undefined) return new LedgerReadOnly(shown, why, error);
  const isTaken = error instanceof RightTaken;
  const restored = isTaken ? RESTORED_FIRST : '';
  const ofRight = (code === NO_RIGHT ? OF_RIGHTS : []).find(([words]) => message.includes(words));
  if (ofRight !== undefined) {
    const user = decodeURIComponent(new URL(place).username);
    const problem = `the user ${user === '' ? '' : `${user} `}may not do this (${message})`;
    return new (isTaken ? LedgerNeedsPerson : LedgerForbidden)(shown, problem, `${restored}${ofRight[1]}`, error);
  }
  const found = EXPLANATIONS.find(([prefix]) => code.startsWith(prefix));
  if (code === STALE_PLAN.code && routine === STALE_PLAN.routine) {
    // Passes with a new session, which prepares its statements again.
    const problem = `its tables have changed since this session began (${code}: ${message})`;
    return new LedgerAway(shown, problem, 'Run the same command again.', error);
  }
  if (found !== undefined) {
    const [, Explained, problem, advice] = found;
    const Class = isTaken ? LedgerNeedsPerson : Explained;
    return new Class(shown, `${problem} (${code}: ${message})`, advice, error);
  }
  if (OF_SOCKETS.includes(code) || OF_CONNECTIONS.some((text) => message.startsWith(text))) {
    const advice =
      'Check that the database server runs, and that VOXBATCH_LEDGER names its host and port. Workers go on by themselves then; run any other command again.';
    return new LedgerAway(
      shown,
      `the database server cannot be reached (${message === '' ? code : message})`,
      advice,
      error,
    );
  }
  // Neither the server's, by its code, nor about the server.
  const isOurs = !/^[0-9A-Z]{5}$/.test(code) || OF_STATEMENTS.some((prefix) => code.startsWith(prefix));
  if (isOurs) return error instanceof Error ? error : new Error(message, { cause: error });
  const advice = 'Look into the log of the database server, then run the same command again.';
  return new LedgerUnreachable(shown, `the database server failed (${code}: ${message})`, advice, error);
}

/**
 * Returns the error to throw for an error of `pg` while it connects. An error without a code is about the address, the
 * password or TLS. But if this process `hasConnected` before, it counts as an outage: a proxy without a server behind
 * it, or a server that cannot start processes, also refuses TLS.
 */
export function explainConnecting(place: string, error: unknown, hasConnected: boolean): Error {
  const isTaken = hasConnected && (error as ServerError).code === NO_RIGHT;
  const explained = explain(place, isTaken ? new RightTaken(error as Error) : error);
  if (explained instanceof LedgerUnreachable) return explained;
  const { message } = explained;
  const shown = describePlace(place);
  if (error instanceof PasswordMissing) {
    return new (hasConnected ? LedgerNeedsPerson : LedgerUnreachable)(shown, error.problem, error.advice, error);
  }
  if (hasConnected) {
    const problem = `the database server cannot be reached again (${message})`;
    return new LedgerAway(shown, problem, 'Check that it runs.', error);
  }
  const [, problem, advice] = OF_CONNECTING.find(([words]) => words.test(message)) ?? OTHERWISE;
  return new LedgerUnreachable(shown, `${problem} (${message})`, advice, error);
}

/** Words in a message, and what to say about it. */
type Explanation = readonly [words: RegExp, problem: string, advice: string];

/** For any other message. */
const OTHERWISE: Explanation = [
  /^/,
  'no connection to the database server can be made',
  'Check VOXBATCH_LEDGER, PGSSLMODE and the other settings of the connection.',
];

/** Problem and advice for errors of `pg`, Node and OpenSSL while it connects, by words in their messages. */
const OF_CONNECTING: readonly Explanation[] = [
  [
    /password must be a string/,
    'the database server asks for a password, and there is none',
    'Set PGPASSWORD, or keep it in ~/.pgpass.',
  ],
  [
    /does not support SSL/,
    'the database server offers no TLS',
    'Turn it on there (ssl = on); or, where nobody can listen in, set PGSSLMODE=disable.',
  ],
  [
    /does not match certificate/,
    'the certificate of the database server is for another name',
    'Use a name of the certificate in VOXBATCH_LEDGER, or PGSSLMODE=verify-ca.',
  ],
  [
    /certificate|unable to get (local )?issuer|CERT_/i,
    'the certificate of the database server is not trusted, or ours is not right',
    'Set PGSSLROOTCERT to the file with the certificate of its authority; check PGSSLCERT and PGSSLKEY.',
  ],
];
