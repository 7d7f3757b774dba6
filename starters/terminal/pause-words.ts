import { shellWord } from '../../contract/shell-word.ts';
import { isPausedByFailures } from '../../batches/look/paused-by-failures.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { tokenAdvice } from '../connect/api-token.ts';
import { goOnCommand } from './go-on-command.ts';

/** What a command does while the batch is paused. */
export function waitMessage({ settings }: BatchRecord, waits: boolean): string {
  const minutes = String(Math.ceil(settings.jobDeadlineMs / 60_000));
  return waits
    ? 'This command waits until then. Ctrl-C is safe.'
    : `This command first fetches running jobs, for at most ${minutes} minutes. Ctrl-C is safe.`;
}

/**
 * What a paused batch needs, with the next command. If nobody works on it, `resume` alone would only point to `run`,
 * and `run` alone continues only after a pause that the batch made by itself. `out`: see {@link goOnCommand}.
 */
export function pauseMessage(
  batch: BatchRecord,
  { isDeserted, out }: { readonly isDeserted: boolean; readonly out?: string | null },
): string {
  const name = shellWord(batch.name);
  const resume = `voxbatch resume ${name}`;
  const run = goOnCommand(batch, out);
  const isByPerson = batch.pauseReason === null || isPausedByFailures(batch);
  const goOn = !isDeserted ? resume : isByPerson ? `${resume} && ${run}` : run;
  switch (batch.pauseReason?.class) {
    case 'OutOfCredits':
      return `Batch "${batch.name}" is paused: out of credits (${batch.pauseReason.message}). Top up the account, then: ${goOn}`;
    case 'BadToken':
      return `Batch "${batch.name}" is paused: the API refused the token (${batch.pauseReason.message}). ${tokenAdvice()}, then run the same command again: ${run}`;
    case undefined:
      return `Batch "${batch.name}" is paused. Continue with: ${goOn}`;
    default:
      return (
        `Batch "${batch.name}" is paused: ${batch.pauseReason?.message ?? ''}. Running jobs are still fetched; nothing more is sent. Check the ` +
        `results: voxbatch status ${name}. When it is fixed, continue with: ${goOn}. To turn this check off: voxbatch tune ${name} --halt never`
      );
  }
}
