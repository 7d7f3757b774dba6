import { KINDS } from '../../contract/row-kinds.ts';
import { nameAmong } from '../commands/flag-values.ts';
import { type CheckRequest, planOf, type RunPlan as ChosenPlan } from '../../client/run/check-run.ts';
import type { SessionRequest } from '../../client/session.ts';
import type { EarlyServer } from '../../client/temporal/early-server.ts';
import { readSound } from '../sound/read-sound.ts';
import type { Pilot } from './finish-run.ts';
import { isBatchName, nameFromFile } from '../../contract/batch-name.ts';
import { defined } from '../../contract/defined.ts';
import { DEFAULT_SEED, type Subset } from '../../contract/subset.ts';
import { usageError } from '../exit-error.ts';
import type { Settings } from '../../client/settings.ts';
import type { Flags } from '../commands/flags.ts';
import { readTuning } from '../commands/tuning-flags.ts';
import { fileWord, shellWord } from '../../contract/shell-word.ts';
import type { ReportOptions } from './report-problems.ts';
import { flagOf } from '../terminal/tunable-words.ts';

/** What to run, from flags and config, with all defaults filled in. */
export interface RunPlan extends ChosenPlan {
  /** The flags given that affect prices. An existing batch keeps its prices, so they have no effect there. */
  readonly pricingFlags: readonly string[];
}

/** A run before its manifest is read; `begin-run.ts` makes it. */
export interface RunRequest {
  /** As typed. */
  readonly manifestPath: string;
  readonly source: CheckRequest['source'];
  readonly flags: Flags;
  readonly settings: Settings;
  readonly plan: RunPlan;
  /** The embedded server, if it was started early. */
  readonly server: EarlyServer | undefined;
  /** The ledger's worker thread, if it was started early. */
  readonly ledgerThread: SessionRequest['ledger']['begun'];
  /** Called with what a finished sample shows about the rows that it left out. */
  readonly onPilot?: (pilot: Pilot) => void;
  /** The user has agreed to the price of the rows that the sample left out. Default: false. */
  readonly isAgreed?: boolean;
}

/** Reads the flags of `run` and `plan`, and fills in the defaults. Throws {@link ExitError} `usage`. */
export async function readRunFlags(
  manifestPath: string,
  flags: Flags,
  { config }: Pick<Settings, 'config'>,
): Promise<RunPlan> {
  const {
    name = nameFromFile(manifestPath),
    fileName: nameTemplate,
    strict,
    assumeSeconds,
    probe,
    sheet,
    xlsx,
    report,
  } = flags;
  if (!isBatchName(name)) {
    throw usageError(
      `"${name}" is not a valid batch name. Use --name NAME with at most 100 letters, digits, spaces, dots, dashes and underscores.`,
    );
  }
  if (flags.confirmAfterSample === true) {
    if (flags.sample === undefined) throw usageError('--confirm-after-sample needs --sample.');
    if (flags.detach === true) throw usageError('--confirm-after-sample cannot be combined with --detach.');
  }
  const { voice, engine, format, language, verify, apiDialect, split, tts = 'job' } = flags;
  const kind = flags.kind === undefined ? undefined : nameAmong('--kind', flags.kind, KINDS);
  const defaults = defined({ voice, engine, format, language, verify: verifyCell(verify) });
  const map = readMap(flags.map ?? []);
  const tuning = readTuning(flags);
  const subset = readSubset(flags);
  const { out, confirm: confirmAbove } = flags;
  const { join, finish } = readSound(flags);
  const options = defined({
    name,
    out,
    kind,
    cast: flags.cast,
    apiDialect,
    join,
    split,
    finish,
    sheet,
    xlsx,
    report,
    strict,
    probe,
    assumeSeconds,
    confirmAbove,
  });
  return {
    ...(await planOf(manifestPath, { defaults, map, tts, subset, tuning, nameTemplate, ...options }, config)),
    pricingFlags: [
      ...(flags.probe === undefined ? [] : ['--probe']),
      ...(flags.assumeSeconds === undefined ? [] : ['--assume-seconds']),
    ],
  };
}

/** Parses `--map OURS=THEIRS` pairs into a record of our column names to those of the file. */
function readMap(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [ours, theirs] = [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim()];
      if (!pair.includes('=') || ours === '' || theirs === '')
        throw usageError(`--map ${pair}: expected OUR-COLUMN=THEIR-COLUMN, as in --map text=script.`);
      return [ours, theirs];
    }),
  );
}

/** Returns which rows to run; null for all. Throws {@link ExitError} `usage` for flags that exclude each other. */
function readSubset({ limit, sample, seed }: Flags): Subset | null {
  if (limit !== undefined && sample !== undefined) throw usageError('--limit cannot be combined with --sample.');
  if (seed !== undefined && sample === undefined) throw usageError('--seed needs --sample.');
  if (limit !== undefined) return { type: 'limit', rows: limit };
  return sample === undefined ? null : { type: 'sample', rows: sample, seed: seed ?? DEFAULT_SEED };
}

/** Returns the value of `--verify` as a cell of the column `verify`. */
export function verifyCell(value: Flags['verify']): string | undefined {
  return value === true ? 'true' : value;
}

/** Flags of `run` that `plan` does not have; undefined removes them from a command. */
const NOT_FLAGS_OF_PLAN = {
  metricsPort: undefined,
  webhook: undefined,
  webhookPort: undefined,
  webhookHost: undefined,
  webhookRestore: undefined,
};

/** The value of a flag; `true` if it takes none. */
type FlagValue = string | number | boolean | readonly string[] | undefined;

/**
 * Returns `voxbatch run|plan MANIFEST` with these flags, quoted for a shell. A manifest from stdin gets `< FILE`. Flags
 * at their defaults, and those for the output alone, are left out.
 */
export function manifestCommand(command: 'run' | 'plan', manifest: string, flags: Flags): string {
  const printed: Readonly<Record<string, FlagValue>> = {
    ...flags,
    api: undefined,
    json: undefined,
    quiet: undefined,
    progress: undefined,
    verbose: undefined,
    tts: flags.tts === 'job' ? undefined : flags.tts,
    noTrimSilence: flags.trimSilence === false,
    // The URL's path is a secret, and printed commands end up in logs.
    webhookRestore: flags.webhookRestore === undefined ? undefined : 'URL',
    ...(command === 'plan' ? NOT_FLAGS_OF_PLAN : {}),
  };
  const words = Object.entries(printed).flatMap(([name, value]) => {
    const flag = flagOf(name);
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [value].flat().flatMap((item) => [flag, String(item)]);
  });
  const isPiped = manifest === '-';
  const file = isPiped ? manifest : fileWord(manifest);
  return ['voxbatch', command, file, ...words.map(shellWord)].join(' ') + (isPiped ? ' < FILE' : '');
}

/** Returns how to report a manifest's problems: the command that checks it again has the flags of this one. */
export function reportOptions(manifest: string, flags: Flags): ReportOptions {
  const { fileName: template } = flags;
  return {
    command: manifestCommand('plan', manifest, { ...flags, resubmit: false, detach: false, yes: false }),
    ...defined({ template }),
  };
}
