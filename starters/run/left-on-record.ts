import { shellWord } from '../../contract/shell-word.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { ExitError } from '../exit-error.ts';

/** The error of a refused start, plus what it leaves: a batch on record, which the next worker finds and pays for. */
export function withLeftOnRecord(error: ExitError, { name }: Pick<BatchRecord, 'name'>): ExitError {
  return new ExitError(
    error.exit,
    `${error.message}\nBatch "${name}" is recorded with all its rows. The next run, up or worker on this ledger continues ` +
      `it. To prevent that: voxbatch stop ${shellWord(name)}`,
    { cause: error },
  );
}
