import type { Joining } from '../contract/finishing.ts';
import type { Kind, RowSpec } from '../contract/row-kinds.ts';
import type { SampleLimits } from '../contract/sample-limits.ts';
import type { SplitMode } from '../contract/row-parts.ts';
import type { Subset } from '../contract/subset.ts';
import type { TextLimits } from '../contract/text-limits.ts';
import type { RowDefaults, VoiceWait } from '../contract/batch.ts';
import type { Pricing, Priced } from './money/price-rows.ts';
import type { RowPart } from '../contract/row-parts.ts';

/** Everything besides the file that shapes its rows. */
export interface ManifestOptions extends Pricing {
  /** `--kind`: the kind of every row whose `kind` cell is empty. Default: inferred. */
  readonly kind?: Kind | undefined;
  /** Values for empty cells. */
  readonly defaults: RowDefaults;
  /** `--map text=script`: our column → the header in the file. */
  readonly map: Readonly<Record<string, string>>;
  /** Whether unknown columns and unused cells are errors instead of warnings. */
  readonly strict: boolean;
  /** Share of the rows that speak the legacy dialect, 0 to 1. Default 0. */
  readonly legacyShare?: number;
  /** `--join`, `--pause`: which rows are put together into one file. Default: none. */
  readonly join?: Joining | undefined;
  /** `--file-name`; default `{id}.{ext}`. */
  readonly nameTemplate: string;
  /** What recordings of a voice may be. Default: `SAMPLE_LIMITS`. */
  readonly samples?: SampleLimits | undefined;
  /** Where files with relative paths are looked for besides the folder of the manifest. Default: the working folder. */
  readonly filesFrom?: string | undefined;
  /** `--limit`, `--sample`: the rows to run. The others are read, checked and priced all the same. Default: all. */
  readonly subset?: Subset | null;
  /** `--split`: how texts are cut that are too long. Default: they are problems. */
  readonly split?: SplitMode;
  /** The longest texts that the API takes, as far as known. */
  readonly textLimits?: TextLimits;
  /**
   * Whether `api.` columns may name fields that voxbatch fills itself, as they could in batches of earlier versions.
   * Default false.
   */
  readonly anyApiField?: boolean;
  /** What is known of voices, as they are written there. Default: nothing, so names stay names. */
  readonly voices?: ReadonlyMap<string, VoiceMeant>;
}

/**
 * What a voice of a manifest stands for. `listed`: a voice of the API's list. `made`: the voice that a row of the same
 * manifest makes.
 */
export type VoiceMeant =
  | { readonly type: 'listed'; readonly id: string; readonly isInTraining: boolean }
  | { readonly type: 'made'; readonly row: number };

/** A row that is ready for the ledger. */
export interface ManifestRow extends Priced {
  /** 1-based position among the rows. */
  readonly row: number;
  /** Physical line of the record's first line, header = 1. */
  readonly line: number;
  readonly id: string;
  /** The unchanged input cells, in the order of the summary's columns. */
  readonly input: readonly string[];
  /** File name of the result below `media/`, `{ext}` left in. */
  readonly name: string;
  /** The voice that it waits for. Default: none. */
  readonly waitsFor?: VoiceWait;
  /** What it is spoken in, at least two parts. Default: it is not split. */
  readonly parts?: readonly RowPart[];
  /** The row's number in the batch of an outcome file (`_row`). */
  readonly previousRow?: number;
  /** The ids of the jobs that it had there (`_job_ids`). */
  readonly previousJobs?: readonly string[];
}

/** A row before its price. */
export type UnpricedRow = Omit<ManifestRow, keyof Priced | 'parts'> & {
  readonly spec: RowSpec;
  /** The parts of its text, at least two. Default: it is not split. */
  readonly texts?: readonly string[];
};
