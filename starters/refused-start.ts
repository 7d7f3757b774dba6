import type { BatchRecord } from '../ledger/record-types.ts';
import { ExitError } from './exit-error.ts';
import { shellWord } from './go-on-command.ts';

/** The error of a start that was refused, with what it leaves: a batch on record, which the next worker finds and pays for. */
export function refusedStart(error: ExitError, { name }: Pick<BatchRecord, 'name'>): ExitError {
  return new ExitError(
    error.exit,
    `${error.message}\nBatch "${name}" is on record with all its rows, and whatever works on this ledger next (run, up, worker) goes on ` +
      `with it. If that is not wanted: voxbatch stop ${shellWord(name)}`,
    { cause: error },
  );
}
