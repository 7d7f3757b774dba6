import { TABLES } from '../schema.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const NO_RIGHT = '42501';

/**
 * The user may not do what this process has done before: rights were taken, or a database is being restored, which
 * grants them last. Who never had a right is told so at once; who works waits until a person has mended this.
 */
export class RightTaken extends Error {
  readonly code = NO_RIGHT;

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/**
 * Whether statements that have succeeded show that this one was allowed: as they did the same to each of its tables.
 */
export function wasAllowed(statement: string, succeeded: Iterable<string>): boolean {
  const wanted = usesOf(statement);
  for (const one of succeeded) for (const use of usesOf(one)) wanted.delete(use);
  return wanted.size === 0;
}

const NAMES = Object.keys(TABLES);

/** `select batches`, `insert rows`, by the first verb. */
function usesOf(statement: string): Set<string> {
  const verb = /\b(?:insert|update|delete|select)\b/i.exec(statement)?.[0].toLowerCase() ?? '';
  const words = new Set(statement.match(/\w+/g));
  return new Set(NAMES.filter((name) => words.has(name)).map((name) => `${verb} ${name}`));
}
