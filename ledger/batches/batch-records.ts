import type { BatchSettings } from '../../contract/batch.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import { tryAddOperations } from '../../contract/add-operations.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { Subset } from '../../contract/subset.ts';
import type { Selectable } from 'kysely';
import { defaultSubmits } from '../../policy/lanes/share.ts';
import type { BatchesTable, BatchState } from '../tables/batches.ts';
import { toFailure } from '../records.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { Failure } from '../../contract/failures.ts';

/** What identifies a batch. The same four mean the same batch. */
export interface BatchIdentity {
  readonly name: string;
  /** sha256 of the manifest's bytes, hex. */
  readonly digest: string;
  readonly apiUrl: string;
  readonly account: string;
}

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
 * A load of a batch's rows, as `createBatch` began it. Whoever discards what was loaded takes the batch away from it:
 * it can then add and open nothing more.
 */
export interface Loading {
  readonly batch: string;
  /** Of its folder in the store, which no other load has. */
  readonly stem: string;
}

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
  /** First paid request of the batch, ms. */
  readonly startedAt: number | null;
  /** When ended rows were last reopened, ms; null if never. */
  readonly reopenedAt: number | null;
  readonly closedAt: number | null;
  /**
   * When its media and its rows' requests were last removed (`clean`), ms; null if never. `unfinished`: the parts being
   * removed, or left by an interrupted clean; no row can be reopened until that clean is finished.
   */
  readonly cleaned: {
    readonly media: number | null;
    readonly rows: number | null;
    readonly unfinished: CleanParts | null;
  };
}

/**
 * Converts lines of the tables to records and back. JSON is parsed without a check: only this room ever writes these
 * columns.
 */

/** `lastRow`: the number of its last row or part. Default: it has no parts. */
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

function withSubmits(settings: BatchSettings, requests: number): BatchSettings {
  if (settings.submitsByRows !== true) return settings;
  return { ...settings, limits: { ...settings.limits, submits: defaultSubmits(requests) } };
}

/** The columns of a batch's settings. */
export function settingsColumns(settings: BatchSettings): Pick<BatchesTable, 'settings' | 'budget'> {
  return { settings: JSON.stringify(settings), budget: settings.budget };
}

let lastSettings: { readonly json: string; readonly settings: BatchSettings } | undefined;

/** The settings of a batch. Each intent reads them, and they hardly ever change, so the last ones are kept. */
export function toSettings(json: string): BatchSettings {
  if (lastSettings?.json !== json) {
    const settings = JSON.parse(json) as BatchSettings;
    tryAddOperations(settings.operations);
    // No row of the batch uses later operations, but a file that is compared with it may name one.
    lastSettings = { json, settings: { ...settings, prices: { ...BUILT_IN_PRICES, ...settings.prices } } };
  }
  return lastSettings.settings;
}
