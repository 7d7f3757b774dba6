import type { Command } from 'commander';
import type { TunableName } from '../../contract/tunables.ts';
import { credits } from '../commands/flag-values.ts';
import { dialectOption, type DialectFlag } from '../commands/read-flags.ts';
import { addPricingFlags } from '../commands/manifest-flags.ts';
import { addOutputFlags, type OutputFlags } from '../commands/output-flags.ts';
import type { TuningFlags } from '../commands/tuning-flags.ts';

/** Flags of every command that asks for a single job. */
export interface SingleFlags extends TuningFlags, OutputFlags, DialectFlag {
  readonly apiUrl?: string;
  readonly probe?: boolean;
  readonly assumeSeconds?: number;
  /** Credits. */
  readonly confirm?: number;
  readonly yes?: boolean;
  /** A new take of a job that has its result, at a new price. */
  readonly again?: boolean;
  /** Send again what may have been charged. */
  readonly resubmit?: boolean;
  readonly json?: boolean;
}

/** The tunables that make sense for one row. Hooks tell of batches that are left alone. */
const TUNABLES: readonly TunableName[] = ['budget', 'onUnknown', 'retakes', 'cache', 'rate', 'pollRate'];

/** Adds the flags that every command for a single job has. */
export function addSingleFlags(command: Command): Command {
  return addOutputFlags(addPricingFlags(command, TUNABLES))
    .option('--confirm <credits>', 'Ask before a job that costs more than this', credits)
    .option('-y, --yes', 'Do not ask for confirmation')
    .option('--again', 'Make a new take, at its price, if there is a result already')
    .option('--resubmit', 'Send again what may have been charged; this can charge it again')
    .addOption(dialectOption())
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .option('--json', 'Print one line of JSON at the end');
}
