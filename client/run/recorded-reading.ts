import { asRecorded, type AskedReading, type BatchChoices } from '../../batches/batch-settings.ts';
import { legacyShareOf } from '../../contract/batch.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { requireFinishing } from '../sound/require-finishing.ts';
import type { Settings } from '../settings.ts';

/** The choices for a manifest, and the batch that they are for. */
interface NamedChoices extends BatchChoices, AskedReading {
  readonly name: string;
  /** True if an option was given that changes what the rows mean. */
  readonly givesReading: boolean;
}

/**
 * The choices for a manifest whose batch may be on record: that keeps its dialect and its finishing, whatever the configuration says by now.
 * What was asked for stays as it is, and is refused later if the batch has another. A new batch must be one that this machine can finish: throws
 * {@link VoxbatchError} (`bad-option`).
 */
export async function withRecordedReading<Choices extends NamedChoices>(
  choices: Choices,
  settings: Pick<Settings, 'ledger' | 'env'>,
): Promise<Choices> {
  const { reading } = choices.settings;
  // The rows of v1 may be of any kind, and where nothing is said of how they are to be read, that is not compared.
  if (legacyShareOf(choices.settings) === 0 && reading.finish === undefined && !choices.givesReading) return choices;
  const ledger = await openRecordsIfAny(settings);
  try {
    const found = await ledger?.findBatch(choices.name);
    if (found !== undefined && found.state !== 'loading') return asRecorded(choices, found.settings);
    await requireFinishing(reading, settings.env);
    return choices;
  } finally {
    await ledger?.close();
  }
}
