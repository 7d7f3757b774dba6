import { BUILT_IN_PRICES } from '../contract/row-kinds.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import { DEFAULT_TEMPLATE } from '../inputs/output-name.ts';
import { summarizeManifest } from '../inputs/read-manifest.ts';

/** Name of the batch of one of our outcome files; undefined for any other file. */
export async function batchOfFile(source: ManifestSource): Promise<string | undefined> {
  const neutral = { defaults: {}, map: {}, strict: false, nameTemplate: DEFAULT_TEMPLATE, prices: BUILT_IN_PRICES };
  const { previousBatch } = await summarizeManifest(source, { ...neutral, tts: 'job' });
  return previousBatch ?? undefined;
}
