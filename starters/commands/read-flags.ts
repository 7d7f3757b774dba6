import { type Command, Option } from 'commander';
import { DIALECTS, soleDialect, type Dialect } from '../../contract/dialects.ts';
import type { Settings } from '../../client/settings.ts';

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

/** The flag of commands that ask the API for one thing. */
export interface DialectFlag {
  readonly apiDialect?: Dialect;
}

/** `--api-dialect` where all requests use one dialect. */
export function dialectOption(): Option {
  return new Option('--api-dialect <dialect>', "Paths of the API to use (default: the config file's, else v1)").choices(
    [...DIALECTS],
  );
}

/** The dialect of the flag, else the one that all rows of a new batch would use. */
export function dialectFor({ apiDialect }: DialectFlag, config: Settings['config']): Dialect {
  return apiDialect ?? soleDialect(config.apiDialect);
}
