import { Option } from 'commander';
import { DIALECTS, soleDialect, type Dialect } from '../../contract/dialects.ts';
import type { Config } from '../../inputs/config-file.ts';

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
export function dialectFor({ apiDialect }: DialectFlag, config: Pick<Config, 'apiDialect'>): Dialect {
  return apiDialect ?? soleDialect(config.apiDialect);
}
