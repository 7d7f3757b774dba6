import type { BatchSettings } from '../../contract/batch.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import { tryAddOperations } from '../../contract/own-operations/own-operation-rules.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { Subset } from '../../contract/subset.ts';
import type { Selectable } from 'kysely';
import { defaultSubmits } from '../../policy/lanes/lane-share.ts';
import type { BatchesTable, BatchState } from '../tables/batches.ts';
import { toFailure } from '../records.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { Failure } from '../../contract/failures.ts';

/*
 * Batches as the rest of the program sees them, and their conversion from and to lines of the table `batches`. JSON is
 * parsed without a check: only `ledger/` writes these columns.
 */

/** What identifies a batch: a command with the same four values means the same batch. */
export interface BatchIdentity {
  readonly name: string;
  /** sha256 of the manifest's bytes, hex. */
  readonly digest: string;
  readonly apiUrl: string;
  readonly account: string;
}

/** A batch to be created. */
export interface NewBatch extends BatchIdentity {
  readonly settings: BatchSettings;
  /** Input columns in order, without `_…`. */
  readonly columns: readonly string[];
  /** Human-readable source of the manifest. */
  readonly source: string;
  /** The rows to run. Default: all. */
  readonly subset?: Subset | null;
}

/**
 * The right to load the rows of a batch, from `createBatch`. It ends if another process discards what was loaded: this
 * one can then neither add rows nor open the batch.
 */
export interface Loading {
  readonly batch: string;
  /** Random name of the batch's folder in the store, which identifies this load. */
  readonly stem: string;
}

/** A batch as the ledger records it. Times are ms. */
export interface BatchRecord extends NewBatch {
  /** The subset requested last; null for all rows. Rows of an earlier, larger subset still run. */
  readonly subset: Subset | null;
  /** Sequence number, in order of creation. */
  readonly number: number;
  /** Where its files are: its folder in the store, and how many rows share a subfolder there (null for all). */
  readonly layout: { readonly stem: string; readonly rowsAFolder: number | null };
  readonly state: BatchState;
  readonly control: Control;
  /** Why the batch paused by itself, if it did. */
  readonly pauseReason: Failure | null;
  /** Why the batch gave up by itself (`--halt`), in one sentence; null if it did not. */
  readonly halted: string | null;
  readonly rows: number;
  readonly createdAt: number;
  /** When its first paid request was recorded; null if there was none. */
  readonly startedAt: number | null;
  /** When ended rows were last reopened; null if never. */
  readonly reopenedAt: number | null;
  readonly closedAt: number | null;
  /**
   * When its media and its rows' requests were last removed (`clean`); null if never. `unfinished`: the parts being
   * removed, or left by an interrupted clean; no row can be reopened until that clean is finished.
   */
  readonly cleaned: {
    readonly media: number | null;
    readonly rows: number | null;
    readonly unfinished: CleanParts | null;
  };
}

/** Converts a line of `batches`. `lastRow`: the number of its last row or part. Default: it has no parts. */
export function toBatch(line: Selectable<BatchesTable>, lastRow = line.rows): BatchRecord {
  const subset = line.subset === null ? null : (JSON.parse(line.subset) as Subset);
  return {
    name: line.name,
    digest: line.digest,
    apiUrl: line.api_url,
    account: line.account,
    settings: withSubmits(toSettings(line.settings), subset?.rows ?? lastRow),
    columns: JSON.parse(line.columns) as string[],
    source: line.source,
    subset,
    number: line.number,
    layout: { stem: line.stem, rowsAFolder: line.rows_a_folder },
    state: line.state,
    control: line.control,
    pauseReason: toFailure(line.pause_reason),
    halted: line.halted,
    rows: line.rows,
    createdAt: line.created_at,
    startedAt: line.started_at,
    reopenedAt: line.reopened_at,
    closedAt: line.closed_at,
    cleaned: {
      media: line.media_cleaned_at,
      rows: line.rows_cleaned_at,
      unfinished: line.cleaning === null ? null : (JSON.parse(line.cleaning) as CleanParts),
    },
  };
}

/** Sets the limit of requests in flight by the number of rows, if the settings say so. */
function withSubmits(settings: BatchSettings, requests: number): BatchSettings {
  if (settings.submitsByRows !== true) return settings;
  return { ...settings, limits: { ...settings.limits, submits: defaultSubmits(requests) } };
}

/** The columns of a batch's settings. */
export function settingsColumns(settings: BatchSettings): Pick<BatchesTable, 'settings' | 'budget'> {
  return { settings: JSON.stringify(settings), budget: settings.budget };
}

/** The settings that were parsed last: each intent needs them, and they hardly ever change. */
let lastSettings: { readonly json: string; readonly settings: BatchSettings } | undefined;

/** Parses the settings of a batch. Registers the operations that the settings define. */
export function toSettings(json: string): BatchSettings {
  if (lastSettings?.json !== json) {
    const settings = JSON.parse(json) as BatchSettings;
    tryAddOperations(settings.operations);
    // With built-in prices of operations newer than the batch: a manifest that is compared with it may ask for one.
    lastSettings = { json, settings: { ...settings, prices: { ...BUILT_IN_PRICES, ...settings.prices } } };
  }
  return lastSettings.settings;
}
