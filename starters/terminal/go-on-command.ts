import { continueCommand, type ContinuedBatch } from '../../client/look/continue-command.ts';
import { commandLine } from './command.ts';

/** The command that continues a batch; see {@link continueCommand}. */
export function goOnCommand(batch: ContinuedBatch, out?: string | null): string {
  return commandLine(continueCommand(batch, out));
}
