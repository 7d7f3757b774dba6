import type { Cast } from '../contract/cast.ts';
import type { Joining } from '../contract/finishing.ts';
import type { Kind, RowSpec } from '../contract/row-kinds.ts';
import type { SampleLimits, TextLimits } from '../contract/api-limits.ts';
import type { SplitMode } from '../contract/row-parts.ts';
import type { Subset } from '../contract/subset.ts';
import type { Decimal } from '../contract/table-format.ts';
import type { RowDefaults, VoiceWait } from '../contract/batch.ts';
import type { LocalMediaRules } from './local-media/path-cells.ts';
import type { Pricing, Priced } from './money/price-rows.ts';
import type { RowPart } from '../contract/row-parts.ts';

/** Everything besides the file itself that decides how its rows are read and priced. Comments name the flags. */
export interface ManifestOptions extends Pricing {
  /** `--kind`: the kind of every row whose `kind` cell is empty. Default: inferred. */
  readonly kind?: Kind | undefined;
  /** Values for empty cells. */
  readonly defaults: RowDefaults;
  /** `--map text=script`: our column → the header in the file. */
  readonly map: Readonly<Record<string, string>>;
  /** The same from the configuration, for all manifests: each entry counts only if a file has the header. */
  readonly mapIfThere?: Readonly<Record<string, string>> | undefined;
  /** Whether headers match our columns ignoring case. Default false, as in batches of earlier versions. */
  readonly anyCase?: boolean | undefined;
  /** `--cast`: the voices of speakers. Default: none; each row names its voice. */
  readonly cast?: Cast | undefined;
  /** `--sheet`: the sheet of a workbook to read. Default: the first that is not hidden. */
  readonly sheet?: string | undefined;
  /** Decimal separator in texts of a workbook or of JSON, besides a point. Default: a point only. */
  readonly decimal?: Decimal;
  /** Whether unknown columns and unused cells are errors instead of warnings. */
  readonly strict: boolean;
  /** Share of the rows that use the legacy paths of the API, 0 to 1. Default 0. */
  readonly legacyShare?: number;
  /** `--join`, `--pause`: which rows are joined into one file. Default: none. */
  readonly join?: Joining | undefined;
  /** `--file-name`; default `{id}.{ext}`. */
  readonly nameTemplate: string;
  /** Limits for voice recordings. Default: `SAMPLE_LIMITS`. */
  readonly samples?: SampleLimits | undefined;
  /** Whether the service can be given links to local `audio` and `video`. Default: it cannot, so they are problems. */
  readonly localMedia?: LocalMediaRules;
  /** Folders in which relative file paths begin, besides the manifest's own. Default: the working directory. */
  readonly filesFrom?: readonly string[] | undefined;
  /** `--limit`, `--sample`: the rows to run. The others are still read, checked and priced. Default: all. */
  readonly subset?: Subset | null;
  /** `--split`: how overlong texts are split. By default they are problems. */
  readonly split?: SplitMode;
  /** The API's known limits on text length. */
  readonly textLimits?: TextLimits;
  /**
   * Whether `api.` columns may name fields that voxbatch fills itself, as they could in batches of earlier versions.
   * Default false.
   */
  readonly anyApiField?: boolean;
  /** Known voices, by the text of the `voice` cell. Default: none, so names are left unresolved. */
  readonly voices?: ReadonlyMap<string, ResolvedVoice>;
}

/**
 * What a voice in the manifest refers to. `listed`: a voice from the API's list. `made`: a voice that another row of
 * the manifest creates.
 */
export type ResolvedVoice =
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
  /** The name of the cast that gives the row its voice, if one does. */
  readonly speaker?: string;
  /** The voice that the row waits for, if any. */
  readonly waitsFor?: VoiceWait;
  /** The parts of a split row, at least two. Absent if it is not split. */
  readonly parts?: readonly RowPart[];
  /** The row's number in the earlier batch, from an outcome file's `_row`. */
  readonly previousRow?: number;
  /** Ids of its jobs in that batch, from `_job_ids`. */
  readonly previousJobs?: readonly string[];
}

/** A row that was read but not priced yet. */
export type UnpricedRow = Omit<ManifestRow, keyof Priced | 'parts'> & {
  readonly spec: RowSpec;
  /** The parts of its text, at least two. Absent if it is not split. */
  readonly texts?: readonly string[];
};
