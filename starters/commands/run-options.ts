import { resolve } from 'node:path';
import type { BatchSettings } from '../../contract/batch.ts';
import { BUILT_IN_PRICES } from '../../contract/prices.ts';
import { KINDS, type Kind, type TtsMode } from '../../contract/row-kinds.ts';
import { DEFAULT_TUNABLES, type Tuning } from '../../contract/tunables.ts';
import type { ManifestOptions } from '../../inputs/manifest-reader.ts';
import { applyTuning } from '../../policy/tuning.ts';
import { ExitError } from '../exit-error.ts';
import { nameFromFile } from '../batch-name.ts';
import type { Settings } from '../settings.ts';
import type { NameFlags } from './name-flags.ts';
import type { OutputFlags } from './output-flags.ts';
import { readTuning, type TuningFlags } from './tuning-flags.ts';

/** What `run` and `plan` were told on the command line. */
export interface RunFlags extends TuningFlags, NameFlags, OutputFlags {
  readonly out?: string;
  readonly apiUrl?: string;
  readonly kind?: string;
  readonly voice?: string;
  readonly engine?: string;
  readonly format?: string;
  readonly language?: string;
  readonly map?: readonly string[];
  readonly strict?: boolean;
  readonly tts?: string;
  /** Credits. */
  readonly confirm?: number;
  /** Only for an outcome file. */
  readonly resubmit?: boolean;
  readonly assumeSeconds?: number;
  readonly probe?: boolean;
  readonly json?: boolean;
  readonly detach?: boolean;
  /** Plan it instead. */
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** What is to be run, with all defaults filled in. */
export interface RunPlan {
  readonly name: string;
  /** Absolute. */
  readonly out: string;
  readonly manifest: ManifestOptions;
  readonly settings: BatchSettings;
  /** True if a flag was given that changes what the rows mean. */
  readonly givesReading: boolean;
  /** True if a template of file names was given. */
  readonly givesTemplate: boolean;
  /** What was given on the command line of what may be changed at any time: it holds for a batch that is there, too. */
  readonly tuning: Tuning;
  /** A bill above so many credits is asked about first; null: never. */
  readonly confirmAbove: number | null;
  /** Read the length of media that do not state it. */
  readonly probe: boolean;
  /** Flags that were given for the prices of rows, which are fixed when a batch is made. */
  readonly pricingFlags: readonly string[];
}

/** The provider advises 3 to 5 s; the lower end finishes short jobs sooner. */
const FIRST_LOOK_MS = 3_000;
const POLL_GAP_MS = 3_000;
const JOB_DEADLINE_MINUTES = 120;

export function planRun(manifestPath: string, flags: RunFlags, settings: Settings): RunPlan {
  const { name = nameFromFile(manifestPath), fileName: template } = flags;
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name) || name.includes('..')) {
    throw usage(
      `"${name}" is not a valid batch name. Use --name NAME with at most 100 letters, digits, spaces, dots, dashes and underscores.`,
    );
  }
  const { config } = settings;
  const prices = { ...BUILT_IN_PRICES, ...config.prices };
  const tts = oneOf<TtsMode>('--tts', flags.tts ?? 'job', ['job', 'sync']);
  const kind = flags.kind === undefined ? undefined : oneOf<Kind>('--kind', flags.kind, KINDS);
  const defaults = pick(flags, ['voice', 'engine', 'format', 'language']);
  const map = readMap(flags.map ?? []);
  const tuning = readTuning(flags);
  const assumeSeconds = flags.assumeSeconds ?? config.assumeSeconds;
  return {
    name,
    out: resolve(flags.out ?? `out/${name}`),
    manifest: {
      ...(kind === undefined ? {} : { kind }),
      defaults,
      map,
      strict: flags.strict ?? false,
      nameTemplate: template ?? '{id}.{ext}',
      prices,
      tts,
      ...(assumeSeconds === undefined ? {} : { assumeSeconds }),
    },
    settings: {
      reading: { kind: kind ?? null, defaults, map, tts },
      ...applyTuning(applyTuning(DEFAULT_TUNABLES, config), tuning),
      tts,
      prices,
      nameTemplate: template ?? '{id}.{ext}',
      firstLookMs: config.polling?.firstLookMs ?? FIRST_LOOK_MS,
      pollGapMs: config.polling?.gapMs ?? POLL_GAP_MS,
      jobDeadlineMs: (config.polling?.jobDeadlineMinutes ?? JOB_DEADLINE_MINUTES) * 60_000,
      trust503: config.trust503 ?? true,
    },
    tuning,
    confirmAbove: flags.confirm ?? config.confirmAbove ?? null,
    probe: flags.probe ?? false,
    pricingFlags: [
      ...(flags.probe === undefined ? [] : ['--probe']),
      ...(flags.assumeSeconds === undefined ? [] : ['--assume-seconds']),
    ],
    givesTemplate: template !== undefined,
    givesReading: kind !== undefined || tts !== 'job' || Object.keys(defaults).length + Object.keys(map).length > 0,
  };
}

function readMap(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [ours, theirs] = [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim()];
      if (!pair.includes('=') || ours === '' || theirs === '')
        throw usage(`--map ${pair}: expected OUR-COLUMN=THEIR-COLUMN, as in --map text=script.`);
      return [ours, theirs];
    }),
  );
}

function oneOf<T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw usage(`${flag} ${value}: expected one of ${allowed.join(', ')}.`);
  return found;
}

function pick<T extends object, K extends keyof T>(
  from: T,
  names: readonly K[],
): { [P in K]?: Exclude<T[P], undefined> } {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as {
    [P in K]?: Exclude<T[P], undefined>;
  };
}

function usage(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was spent.`);
}
