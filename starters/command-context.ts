import type { Witness } from '../activities/dependencies.ts';
import type { ExitName } from '../contract/exit-codes.ts';
import type { Output } from './terminal/output.ts';

/** What every command is given. */
export interface CommandContext {
  readonly output: Output;
  readonly witness?: Witness;
  /** Called once with the name of the exit code. */
  readonly done: (exit: ExitName) => void;
}
