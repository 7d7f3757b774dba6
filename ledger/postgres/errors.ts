import { whyOfGuard } from '../copy/read-only.ts';
import { DuplicateKey, LedgerFull, LedgerReadOnly, LedgerUnreachable } from '../errors.ts';
import { describePlace } from './describe-place.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';
/** Of the guard of a read-only ledger, see `copy-dialect.ts`: a class of errors that no server has. */
export const READ_ONLY = 'VB001';

/** What to say about PostgreSQL's error codes; the longest matching prefix comes first. */
const EXPLANATIONS: readonly (readonly [prefix: string, problem: string, advice: string])[] = [
  ['53100', 'the disk of the database server is full', 'Free some space there and run the same command again.'],
  ['53300', 'the database server has too many connections', 'Raise max_connections, or end other clients.'],
  ['28', 'the database server refused the user', 'Check user and password of VOXBATCH_LEDGER.'],
  ['3D', 'there is no such database', 'Create it, or correct VOXBATCH_LEDGER.'],
  [
    '42501',
    'the user may not do this',
    'Use a user with the role that may (deploy/postgres/roles.sql); its owner makes and updates the tables: voxbatch ledger migrate.',
  ],
  ['57P', 'the database server is stopping or starting', 'Run the same command again once it runs.'],
  ['08', 'the connection to the database server broke', 'Run the same command again once it runs.'],
  ['25006', 'the database is read-only', 'Connect to the primary server.'],
];

/** Classes of errors of a statement itself: data, constraints, syntax and rights. All others are of the server. */
const OF_STATEMENTS = ['22', '23', '42'];

/** Codes of Node's sockets: the server cannot be reached, or the connection broke. */
const OF_SOCKETS = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EPIPE', 'EAI_AGAIN'];

/** The error to throw for one of `pg`: our own if it concerns an existing key, the server or the connection to it. */
export function explain(place: string, error: unknown): Error {
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string };
  if (code === UNIQUE_VIOLATION) return new DuplicateKey(message, error);
  const shown = describePlace(place);
  const why = code === READ_ONLY ? whyOfGuard(message) : undefined;
  if (why !== undefined) return new LedgerReadOnly(shown, why, error);
  const found = EXPLANATIONS.find(([prefix]) => code.startsWith(prefix));
  if (found !== undefined) {
    const Explained = code === '53100' ? LedgerFull : LedgerUnreachable;
    return new Explained(shown, `${found[1]} (${code}: ${message})`, found[2], error);
  }
  if (OF_SOCKETS.includes(code) || message.startsWith('Connection terminated')) {
    const advice = 'Check that the database server runs, then run the same command again.';
    return new LedgerUnreachable(shown, `the database server cannot be reached (${message})`, advice, error);
  }
  const isOurs = !/^[0-9A-Z]{5}$/.test(code) || OF_STATEMENTS.some((prefix) => code.startsWith(prefix));
  if (isOurs) return error instanceof Error ? error : new Error(message, { cause: error });
  const advice = 'Look into the log of the database server, then run the same command again.';
  return new LedgerUnreachable(shown, `the database server failed (${code}: ${message})`, advice, error);
}
