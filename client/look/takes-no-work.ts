import { COMPARE_FIRST, CopyInDoubt, FORMER_OR_ACCEPT, readOnlyAdvice } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';

export function isPaused({ state, control }: Pick<BatchRecord, 'state' | 'control'>): boolean {
  return state === 'open' && control === 'paused';
}

/** What to do first, if no command can go on with a batch; undefined if one can. A sentence with the commands. */
export async function adviceFor(ledger: Ledger, batch: BatchRecord): Promise<string | undefined> {
  if (ledger.readOnly !== undefined) return readOnlyAdvice(ledger.place, ledger.readOnly);
  if (!(await ledger.isAccepted())) return FORMER_OR_ACCEPT;
  if (!isPaused(batch)) return undefined;
  try {
    await ledger.requireResumable(batch.name);
    return undefined;
  } catch (error) {
    if (error instanceof CopyInDoubt) return COMPARE_FIRST;
    throw error;
  }
}
