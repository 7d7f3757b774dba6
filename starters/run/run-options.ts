import type { CheckRequest } from '../../client/run/check-run.ts';
import { planOf, type RunPlan as ChosenPlan } from '../../client/run/run-plan.ts';
import type { SessionRequest } from '../../client/session.ts';
import type { EarlyServer } from '../../client/temporal/early-server.ts';
import type { Pilot } from './finish-run.ts';
import { isBatchName, nameFromFile } from '../../contract/batch-name.ts';
import { defined } from '../../contract/defined.ts';
import { DIALECT_FORMS, parseDialectChoice, type DialectChoice } from '../../contract/dialects.ts';
import { chosenFinishing, faultOfFinishing, FINISHED_FORMATS, type WantedFinishing } from '../../contract/finishing.ts';
import { KINDS, type Kind, type TtsMode } from '../../contract/row-kinds.ts';
import { SPLIT_MODES, type SplitMode } from '../../contract/split-modes.ts';
import { usageError } from '../exit-error.ts';
import type { Settings } from '../../client/settings.ts';
import type { NameFlags } from '../commands/name-flags.ts';
import type { OutputFlags } from '../commands/output-flags.ts';
import { readSubset, type SubsetFlags } from '../commands/subset-flags.ts';
import type { WebhookFlags } from '../commands/webhook-flags.ts';
import { readTuning, type TuningFlags } from '../commands/tuning-flags.ts';
import { verifyCell, type VerifyValue } from '../commands/verify-flag.ts';

/** Takes back what the configuration says. */
const NONE = 'none';

/** Flags of `run` and `plan`. */
export interface RunFlags extends TuningFlags, NameFlags, OutputFlags, SubsetFlags, WebhookFlags {
  readonly out?: string;
  readonly apiUrl?: string;
  readonly kind?: string;
  readonly voice?: string;
  readonly engine?: string;
  readonly format?: string;
  readonly language?: string;
  readonly verify?: VerifyValue;
  readonly map?: readonly string[];
  readonly strict?: boolean;
  readonly tts?: string;
  readonly apiDialect?: string;
  readonly join?: string;
  /** Seconds. */
  readonly pause?: number;
  readonly split?: string;
  /** LUFS; none: as it came. */
  readonly loudness?: number | 'none';
  readonly trimSilence?: boolean;
  /** Samples a second; none: as it came. */
  readonly sampleRate?: number | 'none';
  readonly soundFormat?: string;
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
  /** After the sample, ask whether to send the other rows. */
  readonly confirmAfterSample?: boolean;
}

/** What to run, with all defaults filled in. */
export interface RunPlan extends ChosenPlan {
  /** Flags for the prices of rows, which are fixed when a batch is created. */
  readonly pricingFlags: readonly string[];
}

/** What is known before the manifest is read. */
export interface RunRequest {
  /** As typed. */
  readonly manifestPath: string;
  readonly source: CheckRequest['source'];
  readonly flags: RunFlags;
  readonly settings: Settings;
  readonly plan: RunPlan;
  /** The embedded server, if it was started early. */
  readonly server: EarlyServer | undefined;
  /** The thread of the ledger, if it was begun early. */
  readonly ledgerThread: SessionRequest['ledger']['begun'];
  /** Called with what a finished sample shows of the rest of the batch. */
  readonly onPilot?: (pilot: Pilot) => void;
  /** The person has agreed to the price of the rows that were left out before. Default false. */
  readonly isAgreed?: boolean;
}

/** Fills in the defaults. Throws {@link ExitError} `usage`. */
export function planRun(manifestPath: string, flags: RunFlags, { config }: Pick<Settings, 'config'>): RunPlan {
  const { name = nameFromFile(manifestPath), fileName: nameTemplate, strict, assumeSeconds, probe } = flags;
  if (!isBatchName(name)) {
    throw usageError(
      `"${name}" is not a valid batch name. Use --name NAME with at most 100 letters, digits, spaces, dots, dashes and underscores.`,
    );
  }
  if (flags.confirmAfterSample === true) {
    if (flags.sample === undefined) throw usageError('--confirm-after-sample needs --sample.');
    if (flags.detach === true) throw usageError('--confirm-after-sample cannot be combined with --detach.');
  }
  const tts = oneOf<TtsMode>('--tts', flags.tts ?? 'job', ['job', 'sync']);
  const apiDialect = flags.apiDialect === undefined ? undefined : dialectChoice(flags.apiDialect);
  const kind = flags.kind === undefined ? undefined : oneOf<Kind>('--kind', flags.kind, KINDS);
  const { voice, engine, format, language, verify } = flags;
  const defaults = defined({ voice, engine, format, language, verify: verifyCell(verify) });
  const map = readMap(flags.map ?? []);
  const tuning = readTuning(flags);
  const split = flags.split === undefined ? undefined : oneOf<SplitMode>('--split', flags.split, SPLIT_MODES);
  const subset = readSubset(flags);
  const { join: column, pause, out, confirm: confirmAbove } = flags;
  if (pause !== undefined && column === undefined) throw usageError('--pause needs --join.');
  const join = column === undefined ? undefined : { column, pause: pause ?? 0 };
  const finish = readFinishing(flags);
  const given = defined({
    name,
    out,
    kind,
    apiDialect,
    join,
    split,
    finish,
    strict,
    probe,
    assumeSeconds,
    confirmAbove,
  });
  return {
    ...planOf(manifestPath, { defaults, map, tts, subset, tuning, nameTemplate, ...given }, config),
    pricingFlags: [
      ...(flags.probe === undefined ? [] : ['--probe']),
      ...(flags.assumeSeconds === undefined ? [] : ['--assume-seconds']),
    ],
  };
}

/** What flags say of how copies are finished; undefined if none does. */
function readFinishing({ loudness, trimSilence, sampleRate, soundFormat }: RunFlags): WantedFinishing | undefined {
  const format =
    soundFormat === undefined ? undefined : oneOf('--sound-format', soundFormat, [...FINISHED_FORMATS, NONE]);
  const finishing = defined({
    loudness: nullIfNone(loudness),
    trimSilence,
    sampleRate: nullIfNone(sampleRate),
    format: nullIfNone(format),
  });
  const fault = faultOfFinishing(chosenFinishing(finishing) ?? {});
  if (fault?.option === 'sampleRate')
    throw usageError(`--sample-rate ${String(sampleRate)}: expected ${fault.expected}.`);
  return Object.keys(finishing).length === 0 ? undefined : finishing;
}

function nullIfNone<T>(value: T | typeof NONE): T | null {
  return value === NONE ? null : value;
}

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

function dialectChoice(text: string): DialectChoice {
  if (parseDialectChoice(text) === undefined) throw usageError(`--api-dialect ${text}: expected ${DIALECT_FORMS}.`);
  return text as DialectChoice;
}

function oneOf<T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw usageError(`${flag} ${value}: expected one of ${allowed.join(', ')}.`);
  return found;
}
