import type { Command } from 'commander';

/** Flags of every command that asks the API for nothing but what is free. */
export interface ReadFlags {
  readonly json?: boolean;
  readonly apiUrl?: string;
}

/** Adds them. */
export function withReadFlags(command: Command): Command {
  return command
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .option('--json', 'Print one line of JSON');
}
