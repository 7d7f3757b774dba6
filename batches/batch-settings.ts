import { isDeepStrictEqual } from 'node:util';
import { legacyShareOf, type BatchSettings, type Reading, type RowDefaults } from '../contract/batch.ts';
import type { Cast } from '../contract/cast.ts';
import { defined } from '../contract/defined.ts';
import { parseDialectChoice, type DialectChoice } from '../contract/dialects.ts';
import { effectiveFinishing, type WantedFinishing, type Joining } from '../contract/finishing.ts';
import { pollingSettings } from '../contract/polling-settings.ts';
import { BUILT_IN_PRICES, OPERATIONS, ofEach, type Kind, type TtsMode } from '../contract/row-kinds.ts';
import type { ReportChoice } from '../contract/report.ts';
import type { SplitMode } from '../contract/row-parts.ts';
import { type TextLimits, SAMPLE_LIMITS } from '../contract/api-limits.ts';
import type { Subset } from '../contract/subset.ts';
import { DEFAULT_TUNABLES, type Tuning } from '../contract/tunables.ts';
import type { ManifestOptions } from '../inputs/manifest-options.ts';
import { DEFAULT_TEMPLATE } from '../inputs/output-name.ts';
import type { Config } from '../inputs/config-file.ts';
import { applyTuning } from '../policy/tuning.ts';

/**
 * Chooses how a manifest is read, and the settings of its batch: for a new batch, and for one on record, whose recorded
 * choices stay.
 */

/** Options of a new batch. Omitted ones come from the configuration, otherwise from the defaults. */
export interface WantedBatch {
  /** Kind of rows without one. Default: inferred. */
  readonly kind?: Kind | undefined;
  /** Values for empty cells. */
  readonly defaults?: RowDefaults & Readonly<Record<string, string>>;
  /** Our column → the header in the file. */
  readonly map?: Readonly<Record<string, string>>;
  /**
   * Path of the cast, a file that maps names in the manifest's column `speaker` to voices. Default: the
   * configuration's, else none.
   */
  readonly cast?: string | undefined;
  /** The sheet of an Excel workbook to read. Default: the first that is not hidden. */
  readonly sheet?: string | undefined;
  /** How speech is requested: by a job or synchronously. Default `job`. */
  readonly tts?: TtsMode;
  /** Which API dialect the requests of the rows use. Default: the configuration's, else `v1`. */
  readonly apiDialect?: DialectChoice;
  /** The column whose equal values join rows into one file. Default: rows are not joined. */
  readonly join?: Joining;
  /** How to split texts that exceed the API's limit. Default: they are refused. */
  readonly split?: SplitMode | undefined;
  /**
   * How to post-process copies of the speech results. Needs ffmpeg. Each member defaults to the configuration's value,
   * else to no change; null means no change. No copies are made if nothing changes.
   */
  readonly finish?: WantedFinishing;
  /** True if unknown columns and unused cells are errors. Default false. */
  readonly strict?: boolean;
  /** Whether `results.xlsx` is written with the other files. Default: the configuration's, else no. */
  readonly xlsx?: boolean | undefined;
  /** Which report is written with the other files. Default: the configuration's, else {@link DEFAULT_REPORT}. */
  readonly report?: ReportChoice | undefined;
  /** Names of result files. Default `{id}.{ext}`. */
  readonly nameTemplate?: string | undefined;
  /** Length of media that state none, in seconds. */
  readonly assumeSeconds?: number | undefined;
  /** The rows to run. Default: all. */
  readonly subset?: Subset | null;
  readonly tuning?: Tuning;
}

/** How the manifest of a batch is read, and the settings of the batch. */
export interface BatchChoices {
  readonly manifest: ManifestOptions;
  readonly settings: BatchSettings;
}

/**
 * Returns the complete choices for a new batch: options first, then the configuration, then the defaults. The third
 * argument has the cast that was read, and the configuration's column map that applies only to columns that exist.
 */
export function chooseSettings(
  wanted: WantedBatch,
  config: Config,
  { cast, mapIfThere = {} }: Pick<ManifestOptions, 'cast' | 'mapIfThere'> = {},
): BatchChoices {
  const {
    kind,
    defaults = {},
    map = {},
    tts = 'job',
    strict = false,
    nameTemplate = DEFAULT_TEMPLATE,
    subset = null,
    split,
    tuning = {},
  } = wanted;
  const finish = effectiveFinishing(wanted.finish, config.finish);
  const prices = { ...BUILT_IN_PRICES, ...config.prices };
  const share = parseDialectChoice(wanted.apiDialect ?? config.apiDialect ?? 'v1') ?? 0;
  const assumeSeconds = wanted.assumeSeconds ?? config.assumeSeconds;
  const choices: BatchChoices = {
    manifest: {
      ...(kind === undefined ? {} : { kind }),
      defaults,
      map,
      ...(Object.keys(mapIfThere).length > 0 ? { mapIfThere } : {}),
      anyCase: true,
      strict,
      nameTemplate,
      subset,
      prices,
      tts,
      ...defined({ assumeSeconds, join: wanted.join, split, cast, sheet: wanted.sheet }),
      ...limitsOf(config.textLimit),
      ...(config.samples === undefined ? {} : { samples: { ...SAMPLE_LIMITS, ...config.samples } }),
    },
    settings: {
      reading: {
        kind: kind ?? null,
        defaults,
        map,
        anyCase: true,
        tts,
        ...defined({ join: wanted.join, split, finish, cast }),
      },
      ...applyTuning(applyTuning(DEFAULT_TUNABLES, config), tuning),
      submitsByRows: (tuning.limits?.submits ?? config.limits?.submits) === undefined,
      tts,
      prices,
      ...defined({
        operations: config.operations,
        xlsx: wanted.xlsx ?? config.xlsx,
        report: wanted.report ?? config.report,
      }),
      nameTemplate,
      safeIds: true,
      ...pollingSettings(config.polling),
      trust503: config.trust503 ?? true,
    },
  };
  return withLegacyShare(choices, share);
}

/** Returns the configured text limit, in characters, for every operation; empty if none is configured. */
export function limitsOf(textLimit: number | undefined): { readonly textLimits?: TextLimits } {
  return textLimit === undefined ? {} : { textLimits: ofEach(OPERATIONS, () => ({ most: textLimit })) };
}

/**
 * Returns the options without text limits and splitting. A batch on record already has its rows and their parts, so its
 * texts are neither checked nor split again, even if the limits have changed since.
 */
export function withAnyLength({ textLimits: _limits, split: _split, ...manifest }: ManifestOptions): ManifestOptions {
  return manifest;
}

/** Reading options that were given explicitly; the configuration may set the same ones. */
export interface AskedReading {
  /** True if an API dialect was given as an option. */
  readonly givesDialect: boolean;
  /** The finishing options that were given. */
  readonly wantedFinish?: WantedFinishing | undefined;
}

/**
 * Returns the choices for a batch on record: settings that no option asks for come from the record, because the
 * configuration applies to new batches only.
 */
export function asRecorded<Choices extends BatchChoices & AskedReading>(
  choices: Choices,
  recorded: Pick<BatchSettings, 'reading'>,
): Choices {
  const finish = effectiveFinishing(choices.wantedFinish, recorded.reading.finish);
  const cased = withRecordedCase(choices, recorded);
  const reading = withFinish(cased.settings.reading, finish);
  const kept = { ...cased, settings: { ...cased.settings, reading } };
  return choices.givesDialect ? kept : withLegacyShare(kept, legacyShareOf(recorded));
}

function withFinish({ finish: _before, ...others }: Reading, finish: Reading['finish']): Reading {
  return { ...others, ...defined({ finish }) };
}

/** Returns the choices with another share of rows that use the legacy API dialect, 0 to 1. */
function withLegacyShare<Choices extends BatchChoices>(choices: Choices, share: number): Choices {
  const { manifest, settings } = choices;
  const reading = withShare(settings.reading, share);
  return { ...choices, manifest: withShare(manifest, share), settings: { ...settings, reading } };
}

/** Omits a share of 0, because batches of earlier versions recorded none and their readings must stay equal. */
function withShare<Read extends { readonly legacyShare?: number }>(
  { legacyShare: _before, ...others }: Read,
  share: number,
): Omit<Read, 'legacyShare'> & { readonly legacyShare?: number } {
  return share > 0 ? { ...others, legacyShare: share } : others;
}

/** Returns the choices with the recorded batch's rule on whether headers match in any case. */
export function withRecordedCase<Choices extends BatchChoices>(
  choices: Choices,
  { reading }: Pick<BatchSettings, 'reading'>,
): Choices {
  const { manifest, settings } = choices;
  const { anyCase } = reading;
  return {
    ...choices,
    manifest: { ...manifest, anyCase },
    settings: { ...settings, reading: { ...withoutCase(settings.reading), ...defined({ anyCase }) } },
  };
}

function withoutCase({ anyCase: _now, ...read }: Reading): Reading {
  return read;
}

/** Returns whether any option changes how rows are read, so that a recorded batch of the same name must match it. */
export function givesReading({
  kind,
  defaults,
  map,
  cast,
  tts = 'job',
  apiDialect,
  join,
  split,
  finish,
}: WantedBatch): boolean {
  const isMapped = Object.keys({ ...defaults, ...map }).length > 0;
  return (
    kind !== undefined ||
    cast !== undefined ||
    tts !== 'job' ||
    apiDialect !== undefined ||
    join !== undefined ||
    split !== undefined ||
    finish !== undefined ||
    isMapped
  );
}

/** Returns whether two readings turn a manifest into the same rows. */
export function isSameReading({ cast, ...one }: Reading, { cast: otherCast, ...other }: Reading): boolean {
  return isDeepStrictEqual(one, other) && isSameCast({ cast }, { cast: otherCast });
}

/** Returns whether two casts have the same members, regardless of their files. */
export function isSameCast(
  { cast: one }: { readonly cast?: Cast | undefined },
  { cast: other }: { readonly cast?: Cast | undefined },
): boolean {
  return isDeepStrictEqual(one?.members, other?.members);
}
