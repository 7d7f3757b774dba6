import { withAnyLength, type BatchChoices } from '../batches/batch-settings.ts';
import { openRecordsIfAny } from './open-records.ts';
import type { Settings } from './settings.ts';

/**
 * The choices for a manifest, with what was learnt of the longest texts that the API takes. The configuration goes first.
 * For a batch on record see {@link withAnyLength}. `apiUrl`: undefined if none is set.
 */
export async function withTextLimits<Choices extends BatchChoices & { readonly name: string }>(
  choices: Choices,
  apiUrl: string | undefined,
  settings: Pick<Settings, 'ledger'>,
): Promise<Choices> {
  const ledger = await openRecordsIfAny(settings);
  try {
    const found = await ledger?.findBatch(choices.name);
    const { manifest } = choices;
    if (found !== undefined && found.state !== 'loading') return { ...choices, manifest: withAnyLength(manifest) };
    const learnt = apiUrl === undefined ? undefined : await ledger?.textLimits(apiUrl);
    return { ...choices, manifest: { ...manifest, textLimits: { ...learnt, ...manifest.textLimits } } };
  } finally {
    await ledger?.close();
  }
}
