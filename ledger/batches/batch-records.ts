import type { BatchSettings } from '../../contract/batch.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import { learnOperations } from '../../contract/add-operations.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { Subset } from '../../contract/subset.ts';
import type { Selectable } from 'kysely';
import type { BatchRecord } from '../record-types.ts';
import { defaultSubmits } from '../../policy/lanes/share.ts';
import type { BatchesTable } from '../tables/batches.ts';
import { toFailure } from '../records.ts';

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
    learnOperations(settings.operations);
    // No row of the batch uses later operations, but a file that is compared with it may name one.
    lastSettings = { json, settings: { ...settings, prices: { ...BUILT_IN_PRICES, ...settings.prices } } };
  }
  return lastSettings.settings;
}
