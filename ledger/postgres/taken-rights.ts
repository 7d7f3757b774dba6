import { TABLES } from '../schema.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const NO_RIGHT = '42501';

/**
 * The database user lacks a right for something that this process has done before: the right was revoked, or the
 * database is being restored, which grants rights last. Workers then wait until a person has fixed it. A right that the
 * user never had is reported at once instead.
 */
export class RightTaken extends Error {
  readonly code = NO_RIGHT;

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/**
 * Whether statements that have `succeeded` show that this one was allowed: they did the same with each of its tables.
 */
export function wasAllowed(statement: string, succeeded: Iterable<string>): boolean {
  const wanted = usesOf(statement);
  for (const one of succeeded) for (const use of usesOf(one)) wanted.delete(use);
  return wanted.size === 0;
}

const NAMES = Object.keys(TABLES);

/** What a statement does with which tables, e.g. `select batches`. Only its first verb counts. */
function usesOf(statement: string): Set<string> {
  const verb = /\b(?:insert|update|delete|select)\b/i.exec(statement)?.[0].toLowerCase() ?? '';
  const words = new Set(statement.match(/\w+/g));
  return new Set(NAMES.filter((name) => words.has(name)).map((name) => `${verb} ${name}`));
}
