import type { Cast } from './cast.ts';
import type { OwnOperation } from './own-operations/own-operation.ts';
import { formatDialectChoice, type DialectChoice } from './dialects.ts';
import type { Finishing, Joining } from './finishing.ts';
import type { ReportChoice } from './report.ts';
import type { PollingSettings } from './polling-settings.ts';
import { type PriceTable, STEPS, type Kind, type SpecColumn, type Step, type TtsMode } from './row-kinds.ts';
import type { TableFormat } from './table-format.ts';
import type { SplitMode } from './row-parts.ts';
import type { Tunables } from './tunables.ts';

/** The options by which a manifest is read: they change what its rows mean. */
export interface Reading {
  readonly kind: Kind | null;
  readonly defaults: Readonly<Record<string, string>>;
  /** `--map`: from our column name to the header in the file. */
  readonly map: Readonly<Record<string, string>>;
  /** Whether headers are matched regardless of case. Absent in batches of earlier versions, which match exactly. */
  readonly anyCase?: true;
  /** Who speaks with which voice. Default: each row names its voice. */
  readonly cast?: Cast;
  readonly tts: TtsMode;
  /** Share of rows that use the legacy dialect, 0 to 1; each row's spec records its own dialect. Default 0. */
  readonly legacyShare?: number;
  /** Which rows are joined into one file. Default: none. */
  readonly join?: Joining;
  /** How texts over the API's length limit are split. By default they are refused. */
  readonly split?: SplitMode;
  /** How finished copies of the speech are made; no row changes. By default none are made. */
  readonly finish?: Finishing;
}

/** Everything about a batch that its workers need; stored in the ledger, never in a history. */
export interface BatchSettings extends Tunables, PollingSettings {
  /** How the manifest was read. Rerunning the same file needs none of these flags, and rejects different ones. */
  readonly reading: Reading;
  readonly tts: TtsMode;
  /** Prices as of the batch's creation. */
  readonly prices: PriceTable;
  /** User-defined operations as of the batch's creation. Default: none. */
  readonly operations?: readonly OwnOperation[];
  /**
   * True if `limits.submits` was not set explicitly: it is then derived from the number of rows whenever the batch is
   * read. Absent in batches of earlier versions, which keep their recorded limit.
   */
  readonly submitsByRows?: boolean;
  /** File name template of results in `media/`, e.g. `{id}.{ext}`. */
  readonly nameTemplate: string;
  /**
   * Whether ids are made safe for every file system when they name files. Batches of earlier versions lack it, and keep
   * their file names.
   */
  readonly safeIds?: boolean;
  /**
   * The manifest's table format, also used for the results. Default, also for a JSONL manifest: commas, no byte order
   * mark.
   */
  readonly table?: TableFormat;
  /** Whether `results.xlsx` is written with the other files. Default: no. */
  readonly xlsx?: boolean;
  /** Which report is written with the other files. Default: the configuration's, else {@link DEFAULT_REPORT}. */
  readonly report?: ReportChoice;
  /** The command that created this one-row batch without a manifest, such as `say`. Absent if there is a manifest. */
  readonly single?: string;
  /** Whether a 503 with the API's own error body counts as "not accepted" (an assumption; see one-charge.md). */
  readonly trust503: boolean;
}

/** Returns the share of the rows that use the legacy dialect, 0 to 1. */
export function legacyShareOf({ reading }: Pick<BatchSettings, 'reading'>): number {
  return reading.legacyShare ?? 0;
}

/** Returns the dialect of a batch's rows as a value of `--api-dialect`. */
export function dialectChoiceOf(settings: Pick<BatchSettings, 'reading'>): DialectChoice {
  return formatDialectChoice(legacyShareOf(settings));
}

/** Whether a batch is a single job (`voxbatch say` and its like) instead of a manifest. */
export function isSingle({ settings }: { readonly settings: Pick<BatchSettings, 'single'> }): boolean {
  return settings.single !== undefined;
}

/** A voice that is not available yet: the row of this batch that creates it, or its id while it is in training. */
export type VoiceWait =
  { readonly type: 'made'; readonly row: number } | { readonly type: 'training'; readonly voice: string };

/** Identifies one attempt: one paid request of a take of a step of a row. */
export interface AttemptKey {
  readonly batch: string;
  /** 1-based position in the manifest. */
  readonly row: number;
  readonly step: Step;
  /** 1 for the first take; each new take adds 1. */
  readonly take: number;
  /** 1 for the first request of a take. The next one follows only after `not-accepted` or `revoked`. */
  readonly attempt: number;
}

/** Returns the key of a record that contains one among other members. */
export function attemptKeyOf({ batch, row, step, take, attempt }: AttemptKey): AttemptKey {
  return { batch, row, step, take, attempt };
}

/** Whether two keys (or records that contain one) identify the same attempt. */
export function isSameAttempt(one: AttemptKey, other: AttemptKey): boolean {
  return isSameRow(one, other) && one.step === other.step && one.take === other.take && one.attempt === other.attempt;
}

/** Whether two keys (or records that contain one) identify the same row. */
export function isSameRow(one: Pick<AttemptKey, 'batch' | 'row'>, other: Pick<AttemptKey, 'batch' | 'row'>): boolean {
  return one.batch === other.batch && one.row === other.row;
}

/** An attempt key without its batch. */
export interface RowAttempt extends Omit<AttemptKey, 'batch'> {
  /**
   * The row's fencing token. Each claim raises it, and the ledger refuses an older one, so two processes never work on
   * a row that was taken back (it had ended, and was opened again). Absent for work without a claim, such as a command.
   */
  readonly fence?: number;
}

/** Orders a row's attempts: by step as a chain runs them, then take, then attempt. */
export function byAttempt(
  a: Pick<AttemptKey, 'step' | 'take' | 'attempt'>,
  b: Pick<AttemptKey, 'step' | 'take' | 'attempt'>,
): number {
  return STEPS.indexOf(a.step) - STEPS.indexOf(b.step) || a.take - b.take || a.attempt - b.attempt;
}

/** An attempt in progress, with the fencing token of its row's claim. */
export type FencedAttempt = AttemptKey & Pick<RowAttempt, 'fence'>;

/**
 * A row's next step. Decided by `policy/rows/row-machine.ts` from the ledger's records.
 *
 * - `submit`: make this attempt.
 * - `reconcile`: an earlier process left this attempt without a verdict.
 * - `wait`: the job runs, or its result is not stored yet.
 * - `ended`: nothing.
 */
export type Move =
  { readonly type: 'submit' | 'reconcile' | 'wait'; readonly at: RowAttempt } | { readonly type: 'ended' };

/** Columns with a flag of the same name (`--voice`, …), which fills empty cells and missing columns. */
const DEFAULTED = ['voice', 'engine', 'format', 'language', 'verify'] as const satisfies readonly SpecColumn[];
type DefaultedColumn = (typeof DEFAULTED)[number];

/** Values of the flags that fill empty cells. */
export type RowDefaults = { readonly [C in DefaultedColumn]?: string | undefined };

/** Whether a column has such a flag. */
export function isDefaulted(column: string): column is DefaultedColumn {
  return (DEFAULTED as readonly string[]).includes(column);
}
