import { isDeepStrictEqual } from 'node:util';
import { legacyShareOf, type BatchSettings, type Reading } from '../contract/batch.ts';
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
import type { RowDefaults } from '../contract/batch.ts';
import type { Config } from '../inputs/config-file.ts';
import { applyTuning } from '../policy/tuning.ts';

/** Options of a new batch. Omitted ones come from the configuration, otherwise from the defaults. */
export interface WantedBatch {
  /** Kind of rows without one. Default: inferred. */
  readonly kind?: Kind | undefined;
  /** Values for empty cells. */
  readonly defaults?: RowDefaults & Readonly<Record<string, string>>;
  /** Our column → the header in the file. */
  readonly map?: Readonly<Record<string, string>>;
  /**
   * A file that gives names in the manifest's column `speaker` their voices. Default: the configuration's, else none.
   */
  readonly cast?: string | undefined;
  /** The sheet of an Excel workbook to read. Default: the first that is not hidden. */
  readonly sheet?: string | undefined;
  /** How speech is asked for. Default `job`. */
  readonly tts?: TtsMode;
  /** Which of the API's dialects the rows speak. Default: the configuration's, else `v1`. */
  readonly apiDialect?: DialectChoice;
  /** Which rows are put together into one file for each value of a column. Default: none. */
  readonly join?: Joining;
  /** How texts are cut that are longer than the API takes. Default: they are refused. */
  readonly split?: SplitMode | undefined;
  /**
   * How copies of the speech are finished, so that they can be used as they are. Needs ffmpeg. Default of each member:
   * the configuration's, else as it came; null: as it came. Without any, none are made.
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

/** Whether an option changes what the rows of a manifest mean. */
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

/** The same choices with another share of rows that speak the legacy dialect, 0 to 1. */
function withLegacyShare<Choices extends BatchChoices>(choices: Choices, share: number): Choices {
  const { manifest, settings } = choices;
  const reading = withShare(settings.reading, share);
  return { ...choices, manifest: withShare(manifest, share), settings: { ...settings, reading } };
}

/** What options say of a reading that a configuration may say, too. */
export interface AskedReading {
  /** True if an option asked for a dialect. */
  readonly givesDialect: boolean;
  /** What options asked for. */
  readonly wantedFinish?: WantedFinishing | undefined;
}

/** The same choices with headers compared as when the batch was made. */
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

/** Whether two readings make the same rows of a manifest. */
export function isSameReading({ cast, ...one }: Reading, { cast: otherCast, ...other }: Reading): boolean {
  return isDeepStrictEqual(one, other) && isSameCast({ cast }, { cast: otherCast });
}

/** Whether two casts are the same, whatever file they are from. */
export function isSameCast(
  { cast: one }: { readonly cast?: Cast | undefined },
  { cast: other }: { readonly cast?: Cast | undefined },
): boolean {
  return isDeepStrictEqual(one?.members, other?.members);
}

/**
 * The same choices for a batch on record: what no option asked for is as it is there, for a configuration is for new
 * batches.
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

/** No share is left out like any other default, so that batches of earlier versions are read as before. */
function withShare<Read extends { readonly legacyShare?: number }>(
  { legacyShare: _before, ...others }: Read,
  share: number,
): Omit<Read, 'legacyShare'> & { readonly legacyShare?: number } {
  return share > 0 ? { ...others, legacyShare: share } : others;
}

/** Fills in everything left open for a new batch. */
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

/**
 * The choices without what is done about long texts. What is on record has its rows and their parts: its texts are
 * neither checked nor cut again, whatever is known of limits by now.
 */
export function withAnyLength({ textLimits: _limits, split: _split, ...manifest }: ManifestOptions): ManifestOptions {
  return manifest;
}

/** The limit that the configuration states holds for whatever reads a text. */
export function limitsOf(textLimit: number | undefined): { readonly textLimits?: TextLimits } {
  return textLimit === undefined ? {} : { textLimits: ofEach(OPERATIONS, () => ({ most: textLimit })) };
}
