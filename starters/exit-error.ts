import { isLedgerFile, withoutSecrets } from '../contract/urls.ts';
import type { ErrorFacts } from '../client/views.ts';
import type { ExitName } from '../contract/exit-codes.ts';

/**
 * Ends a command with an exit code and one message: what is wrong, whether money was spent, and what to do next.
 * `main.ts` prints it.
 */
export class ExitError extends Error {
  readonly exit: ExitName;
  /** The next command, for `--json`; undefined for the usual one of the exit code. */
  readonly next: string | undefined;
  /** Further facts for `--json`. */
  readonly facts: ErrorFacts | undefined;
  /** The message for a JSON log, where rows' texts must not appear; undefined if `message` may be logged as it is. */
  readonly logged: string | undefined;

  constructor(exit: ExitName, message: string, { next, facts, logged, ...options }: ExitErrorOptions = {}) {
    super(message, options);
    this.name = 'ExitError';
    this.exit = exit;
    this.next = next;
    this.facts = facts;
    this.logged = logged;
  }
}

/** What an {@link ExitError} may have besides its message. */
export interface ExitErrorOptions extends ErrorOptions {
  readonly next?: string | undefined;
  readonly facts?: ErrorFacts;
  readonly logged?: string | undefined;
}

/** Replaces words in a JSON log that may be those of a row. */
export const NOT_LOGGED = '(not in the log)';

/**
 * Returns the error for a wrong command line. `next`: the command that helps. Default: the help of the same command.
 */
export function usageError(message: string, next?: string): ExitError {
  return new ExitError('usage', `${message} Nothing was spent.`, { next });
}

/** Returns the error for a wrong command line of a command that could have changed a batch. */
export function unchangedError(message: string, next?: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed. Nothing was spent.`, { next });
}

/**
 * Returns what to do where no batch was ever run. A ledger file belongs to a folder; a database is set by a variable.
 */
export function noLedgerAdvice(ledger: string): string {
  const otherwise = isLedgerFile(ledger)
    ? 'go to the folder where you ran it'
    : `check VOXBATCH_LEDGER, which is ${withoutSecrets(ledger)}`;
  return `Start one: voxbatch run MANIFEST (or ${otherwise})`;
}
