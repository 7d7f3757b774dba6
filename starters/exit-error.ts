import type { ExitName } from '../contract/exit-codes.ts';

/** Ends a command with an exit code and one clear message: what is wrong, whether money was spent, what to do next. */
export class ExitError extends Error {
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExitError';
    this.exit = exit;
  }
}

/** A command that cannot mean what it says, and has spent nothing. */
export function usageError(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was spent.`);
}

/** The same of a command that could have changed a batch. */
export function unchangedError(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed, nothing was spent.`);
}
