import { defined } from './defined.ts';
import { parsePositive } from './value-kinds.ts';

/** Settings for finished copies of speech (loudness, trimming, format), and for joining rows into one file. */

/** Post-processing for a ready-to-use copy of each speech result. Needs ffmpeg. */
export interface Finishing {
  /** Integrated loudness in LUFS (EBU R 128), -40 to -5. Default: unchanged. */
  readonly loudness?: number;
  /** Whether leading and trailing silence is trimmed. Default false. */
  readonly trimSilence?: boolean;
  /** Samples per second, at most 48,000. Default: unchanged. */
  readonly sampleRate?: number;
  /** Type of the finished file. Default: that of the original. */
  readonly format?: FinishedFormat;
}

/** {@link Finishing} as options request it; null keeps the original, whatever the configuration says. */
export type WantedFinishing = { readonly [Name in keyof Finishing]: Finishing[Name] | null };

/** Types that finished files can have. */
export const FINISHED_FORMATS = ['wav', 'mp3', 'flac', 'opus', 'm4a', 'm4b'] as const;
type FinishedFormat = (typeof FINISHED_FORMATS)[number];

/** Sample rates that every type but Opus supports. */
const SAMPLE_RATES: readonly number[] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
/** Sample rates that Opus supports. */
const OPUS_RATES: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000];

const LOUDNESS = { least: -40, most: -5 } as const;
/** The valid range of a loudness, human-readable. */
export const LOUDNESS_FORM = `LUFS from ${String(LOUDNESS.least)} to ${String(LOUDNESS.most)}, such as -16`;

/** An invalid finishing option. */
export interface FinishingFault {
  readonly option: keyof Finishing;
  readonly expected: string;
}

/** The first invalid option, or undefined. Validated at run time because callers may be untyped programs. */
export function findFinishingFault({
  loudness,
  trimSilence,
  sampleRate,
  format,
}: Finishing): FinishingFault | undefined {
  if (loudness !== undefined && !(loudness >= LOUDNESS.least && loudness <= LOUDNESS.most)) {
    return { option: 'loudness', expected: LOUDNESS_FORM };
  }
  if (trimSilence !== undefined && typeof trimSilence !== 'boolean') {
    return { option: 'trimSilence', expected: 'true or false' };
  }
  if (format !== undefined && !FINISHED_FORMATS.includes(format)) {
    return { option: 'format', expected: `one of ${FINISHED_FORMATS.join(', ')}` };
  }
  const rates = format === 'opus' ? OPUS_RATES : SAMPLE_RATES;
  if (sampleRate === undefined || rates.includes(sampleRate)) return undefined;
  const expected = `one of ${rates.join(', ')}${format === 'opus' ? ' for Opus' : ''}`;
  return { option: 'sampleRate', expected };
}

/**
 * The effective settings: options take precedence over `usual`, which is the configuration or a batch's record.
 * Undefined if nothing is to be done.
 */
export function effectiveFinishing(wanted: WantedFinishing = {}, usual: Finishing = {}): Finishing | undefined {
  const all = { ...usual, ...defined(wanted) };
  const chosen: Finishing = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  return finishes(chosen) ? chosen : undefined;
}

/** Whether any setting changes the sound. */
function finishes({ loudness, trimSilence = false, sampleRate, format }: Finishing): boolean {
  return loudness !== undefined || trimSilence || sampleRate !== undefined || format !== undefined;
}

/** Returns the command-line flags for these settings, as separate words. */
export function finishingFlags({ loudness, trimSilence = false, sampleRate, format }: Finishing): readonly string[] {
  return [
    ...(loudness === undefined ? [] : ['--loudness', String(loudness)]),
    ...(trimSilence ? ['--trim-silence'] : []),
    ...(sampleRate === undefined ? [] : ['--sample-rate', String(sampleRate)]),
    ...(format === undefined ? [] : ['--sound-format', format]),
  ];
}

/** How rows are joined: one file for each value of a column. */
export interface Joining {
  /** Input column, as named in the manifest. Rows with an empty cell are not joined. */
  readonly column: string;
  /** Silence after a row without a `pause` of its own, in seconds. */
  readonly pause: number;
}

/** Column with the silence after a row, in seconds. */
export const PAUSE_COLUMN = 'pause';
/** Column with the title of the chapter that begins with a row. */
export const TITLE_COLUMN = 'title';
/** Columns with a meaning only when rows are joined. */
export const JOINING_COLUMNS: readonly string[] = [PAUSE_COLUMN, TITLE_COLUMN];

/** Longest silence after a row, in seconds. */
const MAX_PAUSE = 600;
/** What is expected of `--pause`, for messages. */
export const PAUSE_FORM = `seconds from 0 to ${MAX_PAUSE}, such as 0.5`;

/** Parses the length of a pause in seconds, with a point or a comma; undefined if invalid. */
export function parsePause(given: string): number | undefined {
  const text = given.replace(',', '.');
  const seconds = /^0+(\.0*)?$/.test(text.trim()) ? 0 : parsePositive(text);
  return seconds !== undefined && seconds <= MAX_PAUSE ? seconds : undefined;
}

/** Returns joining and finishing settings as option names with text values, for comparison and messages. */
export function soundOptions({
  join,
  finish = {},
}: {
  readonly join?: Joining;
  readonly finish?: Finishing;
}): Readonly<Record<string, string>> {
  const { loudness, trimSilence, sampleRate, format } = finish;
  const all = defined({
    join: join?.column,
    pause: join?.pause,
    loudness,
    trimSilence,
    sampleRate,
    soundFormat: format,
  });
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}
