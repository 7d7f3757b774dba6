import { asRecorded, isSameReading, type AskedReading, type BatchChoices } from '../../batches/batch-settings.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { DEFAULT_TEMPLATE } from '../../inputs/output-name.ts';
import { summarizeManifest } from '../../inputs/read-manifest.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';

/** Reads the batch's name from an outcome file, such as `failed.csv`; undefined for any other file. */
export async function batchOfFile(source: ManifestSource): Promise<string | undefined> {
  // Any options do: they decide how rows are read, not what the column `_batch` says.
  const neutral = { defaults: {}, map: {}, strict: false, nameTemplate: DEFAULT_TEMPLATE, prices: BUILT_IN_PRICES };
  const { previousBatch } = await summarizeManifest(source, { ...neutral, tts: 'job' });
  return previousBatch ?? undefined;
}

/**
 * Whether these choices would read rows differently from their batch's record. `mapIfThere`, the configured names of
 * columns, counts only for columns that the record has renamed: others may be missing from its manifest.
 */
export function readsOtherwise(choices: BatchChoices & AskedReading, { settings }: BatchRecord): boolean {
  const { reading } = asRecorded(choices, settings).settings;
  const { mapIfThere = {} } = choices.manifest;
  const renamed = Object.entries(settings.reading.map).filter(([column]) => mapIfThere[column] !== undefined);
  return !isSameReading({ ...reading, map: { ...Object.fromEntries(renamed), ...reading.map } }, settings.reading);
}
