import { asRecorded, isSameReading, type AskedReading, type BatchChoices } from '../../batches/batch-settings.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { DEFAULT_TEMPLATE } from '../../inputs/output-name.ts';
import { summarizeManifest } from '../../inputs/read-manifest.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';

/** Reads the batch's name from an outcome file, such as `failed.csv`; undefined for any other file. */
export async function batchOfFile(source: ManifestSource): Promise<string | undefined> {
  const neutral = { defaults: {}, map: {}, strict: false, nameTemplate: DEFAULT_TEMPLATE, prices: BUILT_IN_PRICES };
  const { previousBatch } = await summarizeManifest(source, { ...neutral, tts: 'job' });
  return previousBatch ?? undefined;
}

/** Whether these choices would read rows differently from their batch's record. */
export function readsOtherwise(choices: BatchChoices & AskedReading, { settings }: BatchRecord): boolean {
  const { reading } = asRecorded(choices, settings).settings;
  const { mapIfThere = {} } = choices.manifest;
  const used = Object.entries(settings.reading.map).filter(([ours]) => mapIfThere[ours] !== undefined);
  return !isSameReading({ ...reading, map: { ...Object.fromEntries(used), ...reading.map } }, settings.reading);
}
