import { isPausedByFailures } from '../../batches/look/pauses.ts';
import { nextCommand, type NextCommand } from '../../contract/next-command.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { continueCommand } from './continue-command.ts';

/** A paused batch, and what continues it. */
export interface Pause {
  readonly batch: Pick<BatchRecord, 'name' | 'pauseReason'>;
  /** Commands that continue it, each after the one before. */
  readonly goOn: readonly NextCommand[];
  /** The command that works on it. */
  readonly run: NextCommand;
}

/**
 * What a paused batch needs. If nobody works on it, `resume` alone would only point to `run`, and `run` alone continues
 * only after a pause that the batch made by itself. `out`: see {@link continueCommand}.
 */
export function pauseOf(
  batch: BatchRecord,
  { isDeserted, out }: { readonly isDeserted: boolean; readonly out?: string | null },
): Pause {
  const resume = nextCommand('resume', batch.name);
  const run = continueCommand(batch, out);
  const isByPerson = batch.pauseReason === null || isPausedByFailures(batch);
  return { batch, goOn: !isDeserted ? [resume] : isByPerson ? [resume, run] : [run], run };
}
