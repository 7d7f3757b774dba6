import { DIALECTS } from '../../contract/dialects.ts';
import { TUNABLE_NAMES } from '../../contract/tunables.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { FlagTable } from './flag-values.ts';
import type { Flags } from './flags.ts';
import { COMMON_FIRING, FIRING, LOCAL_MEDIA, WEBHOOKS } from './shared-flags.ts';

/** A command's function: takes its operands, its flags and its `RunContext`, in this order. */
interface Command {
  // Declared as a method so that functions with narrower parameters are assignable.
  run(...given: readonly unknown[]): Promise<ExitName>;
}

/** A command: its help, operands, flags and implementation. `program.ts` builds the command line from these. */
export interface CommandSpec {
  /** One line of help. */
  readonly does: string;
  /** Each operand as written in the usage (`<manifest>`, `[batch]`), its help, and its choices. */
  readonly operands?: readonly (readonly [operand: string, help: string, choices?: readonly string[]])[];
  /** Names of its shared flags, separated by spaces; `addFlags` in `flags.ts` adds them. */
  readonly flags?: string;
  /** Flags whose syntax or meaning is this command's own. */
  readonly own?: FlagTable;
  /** Additional help text. */
  readonly notes?: string;
  readonly examples: readonly string[];
  /**
   * Loads the implementation lazily, so that `--help` and `status` do not wait for Temporal's SDK. Absent if the
   * command only has subcommands.
   */
  readonly load?: (flags: Flags) => Promise<Command['run']>;
}

// Operands that several commands have.
/** For commands that choose a batch. */
export const BATCH_OPERAND = ['[batch]', 'Name of the batch (default: the newest)'] as const;
/** For commands about one row. */
export const ROW_OPERANDS = [
  ['<row>', 'Id or number of the row; or the name of a single job'],
  ['[batch]', `${BATCH_OPERAND[1]}; it may also stand before the row`],
] as const;
export const SCHEDULE_OPERAND = ['<name>', 'Name of the schedule'] as const;
export const VOICE_OPERAND = ['<voice>', 'Its id, or name: and its name, as in name:Ada'] as const;
export const TEXT_OPERAND = ['<text>', 'Text to speak, or - for standard input (UTF-8, at most 1 MB)'] as const;

// Notes that several commands have.
export const READ_ONLY_NOTE = 'This never spends anything. It reads the ledger and the files, and starts no worker.';
export const REPEATABLE_NOTE = 'You can repeat this in any state of the batch. It starts no worker.';

// Names of flags that go together.
/** Settings of a batch that `tune` can change later. */
export const TUNING_FLAGS = TUNABLE_NAMES.join(' ');
/** For commands whose worker may receive the API's webhooks. */
export const WEBHOOK_FLAGS = namesIn(WEBHOOKS);
/** For commands whose worker may hand out files of this machine. */
export const LOCAL_MEDIA_FLAGS = namesIn(LOCAL_MEDIA);
/** How a manifest is read. */
export const READING_FLAGS =
  'limit sample seed fileName kind voice engine format language verify map cast join pause loudness trimSilence noTrimSilence sampleRate soundFormat sheet strict split tts apiDialect';
/** What rows may cost, and where results go. */
export const SPENDING_FLAGS = `${TUNING_FLAGS} probe assumeSeconds confirm out xlsx report apiUrl json`;
/** `run` and `plan`. */
export const MANIFEST_FLAGS = `name ${READING_FLAGS} ${SPENDING_FLAGS} ${LOCAL_MEDIA_FLAGS} yes`;
/** Commands that run a single job. */
export const SINGLE_FLAGS =
  'budget onUnknown retakes cache rate pollRate probe assumeSeconds quiet verbose confirm yes again resubmit apiUrl json api';
/** `say`. */
export const SPEECH_FLAGS = `${SINGLE_FLAGS} force engine format speed language verify split tts`;
/** When a schedule fires. */
export const FIRING_FLAGS = namesIn({ ...COMMON_FIRING, ...FIRING });

/** Returns the names of the values of flags, as {@link CommandSpec.flags} has them. */
function namesIn(table: FlagTable): string {
  return Object.keys(table).join(' ');
}

// Flags with a syntax of their own.
/** A single dialect: others accept several, with shares. */
export const SINGLE_DIALECT = {
  apiDialect: ['--api-dialect <dialect>', "Paths of the API to use (default: the config file's, else v1)", DIALECTS],
} as const;
/** The own flags of a command that writes one file. */
export const singleFileFlags = (help: string): FlagTable => ({ ...SINGLE_DIALECT, out: ['-o, --out <file>', help] });
/** `say`, which without `--out` names its file by a digest of the text. */
export const SPEECH_FILE_FLAGS = singleFileFlags(
  'File, folder, or - for stdout (default: say-<digest>.<format> here); its extension is the format',
);
/** `--from` as a time; elsewhere it names a file. */
export const RANGE_FROM: FlagTable = {
  from: ['--from <time>', 'First moment: 2026-12-01T00:00:00Z, or with an offset such as +01:00'],
};
