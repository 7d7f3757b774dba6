import type { Command } from 'commander';
import type { ServeOptions } from '../client/work/serve.ts';
import type { ExitName } from '../contract/exit-codes.ts';
import type { Output } from './terminal/output.ts';

/** What a command that works on a batch needs from its process. */
export interface RunContext {
  readonly output: Output;
  readonly atFaultPoint?: NonNullable<ServeOptions['atFaultPoint']>;
}

/** What every command gets. */
export interface CommandContext extends RunContext {
  /** Called once with the name of the exit code. */
  readonly done: (exit: ExitName) => void;
  readonly program: Command;
}
