import { isLedgerFile, withoutSecrets } from '../contract/urls.ts';
import type { ErrorFacts } from '../client/views.ts';
import type { ExitName } from '../contract/exit-codes.ts';

/** Stands in a log in JSON for words that may be those of a row. */
export const NOT_LOGGED = '(not in the log)';

export interface ExitErrorOptions extends ErrorOptions {
  readonly next?: string | undefined;
  readonly facts?: ErrorFacts;
  /** The message for a log in JSON, if that may not have all of its words. */
  readonly logged?: string | undefined;
}

/** What to do where no batch was run. Each folder has a ledger of its own; a database is named. */
export function noLedgerAdvice(ledger: string): string {
  return `Start one: voxbatch run MANIFEST (or ${isLedgerFile(ledger) ? 'go to the folder where you ran it' : `check VOXBATCH_LEDGER, which is ${withoutSecrets(ledger)}`})`;
}

/** Ends a command with an exit code and one clear message: what is wrong, whether money was spent, what to do next. */
export class ExitError extends Error {
  readonly exit: ExitName;
  /** The next command, for machines; undefined: the usual one of the exit code. */
  readonly next: string | undefined;
  /** Further facts for machines. */
  readonly facts: ErrorFacts | undefined;
  /** The message without the API's words, which may repeat texts; undefined: it has none. */
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

/**
 * A command line that makes no sense, and has spent nothing. `next`: the command that helps. Default: the help of the
 * same one.
 */
export function usageError(message: string, next?: string): ExitError {
  return new ExitError('usage', `${message} Nothing was spent.`, { next });
}

/** The same for a command that could have changed a batch. */
export function unchangedError(message: string, next?: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed. Nothing was spent.`, { next });
}
