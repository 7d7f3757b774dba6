import { DIALECTS } from '../../contract/dialects.ts';
import { TUNABLE_NAMES } from '../../contract/tunables.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { FlagTable } from './flag-values.ts';
import type { Flags } from './flags.ts';

/** Runs a command with its operands, its flags and its context. */
interface Worker {
  // Declared as a method so that functions with narrower parameters are assignable.
  work(...given: readonly unknown[]): Promise<ExitName>;
}

/** A command, as the command line is built from it. */
export interface CommandSpec {
  readonly does: string;
  /** Each operand as written in the usage (`<manifest>`, `[batch]`), its meaning, and its choices. */
  readonly operands?: readonly (readonly [operand: string, means: string, choices?: readonly string[]])[];
  /** Names of its flags; see `addFlags`. */
  readonly flags?: string;
  /** Flags whose syntax or meaning differs from other commands. */
  readonly own?: FlagTable;
  /** Additional help text. */
  readonly notes?: string;
  readonly examples: readonly string[];
  /**
   * Loads the implementation lazily, so that `--help` and `status` do not wait for Temporal's SDK. Absent if the
   * command only has subcommands.
   */
  readonly load?: (flags: Flags) => Promise<Worker['work']>;
}

export const BATCH = ['[batch]', 'Name of the batch (default: the newest)'] as const;
export const ROW_OF = [
  ['<row>', 'Id or number of the row; or the name of a single job'],
  ['[batch]', `${BATCH[1]}; it may also stand before the row`],
] as const;
export const SCHEDULE = ['<name>', 'Name of the schedule'] as const;
export const VOICE = ['<voice>', 'Its id, or name: and its name, as in name:Ada'] as const;

export const LOOKING = 'This never spends anything. It reads the ledger and the files, and starts no worker.';
export const STEERING = 'You can repeat this in any state of the batch. It starts no worker.';

export const TUNING = TUNABLE_NAMES.join(' ');
export const WEBHOOK = 'webhook webhookPort webhookHost webhookRestore';
export const LOCAL_MEDIA = 'serveMedia serveMediaUrl';
export const READING =
  'limit sample seed fileName kind voice engine format language verify map cast join pause loudness trimSilence noTrimSilence sampleRate soundFormat sheet strict split tts apiDialect';
export const PRICED = `${TUNING} probe assumeSeconds confirm out xlsx report apiUrl json`;
export const MANIFEST = `name ${READING} ${PRICED} ${LOCAL_MEDIA} yes`;
export const SINGLE =
  'budget onUnknown retakes cache rate pollRate probe assumeSeconds quiet verbose confirm yes again resubmit apiUrl json api';
export const SPEECH = `${SINGLE} force engine format speed language verify split tts`;
/** Flags for when a schedule fires. */
export const SPEC = 'every cron timezone jitter overlap catchUp pauseOnFailure noPauseOnFailure until runs budgetMonth';

export const ONE_DIALECT = {
  apiDialect: ['--api-dialect <dialect>', "Paths of the API to use (default: the config file's, else v1)", DIALECTS],
} as const;
export const fileFlag = (means: string): FlagTable => ({ ...ONE_DIALECT, out: ['-o, --out <file>', means] });
export const SPOKEN = fileFlag(
  'File, folder, or - for stdout (default: say-<digest>.<format> here); its extension is the format',
);
export const TEXT = ['<text>', 'Text to speak, or - for standard input (UTF-8, at most 1 MB)'] as const;
export const RANGE_FROM: FlagTable = {
  from: ['--from <time>', 'First moment: 2026-12-01T00:00:00Z, or with an offset such as +01:00'],
};
