import type { BatchRecord } from '../ledger/record-types.ts';
import { ExitError } from './exit-error.ts';
import { goOnCommand } from './go-on-command.ts';

/** A batch whose rows are not all in the ledger cannot be steered: if its load was killed, it is made anew, and a wish would be lost. */
export function refuseLoading(batch: BatchRecord): void {
  if (batch.state !== 'loading') return;
  throw new ExitError(
    'usage',
    `Batch "${batch.name}" is still loading; nothing was sent, nothing was spent. Try again when it runs. If its command has died: ${goOnCommand(batch)}`,
  );
}
