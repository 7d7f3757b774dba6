import { withLegacyShare, type BatchChoices } from '../batches/batch-settings.ts';
import { legacyShareOf } from '../contract/batch.ts';
import { openRecordsIfAny } from './open-records.ts';
import type { Settings } from './settings.ts';

/** The choices for a manifest, and the batch that they are for. */
interface NamedChoices extends BatchChoices {
  readonly name: string;
  /** True if an option was given that changes what the rows mean. */
  readonly givesReading: boolean;
}

/**
 * The choices for a manifest whose batch may be on record: that keeps its dialect, whatever the configuration says by now. One that
 * was asked for (`isGiven`) stays as it is, and is refused later if the batch has another.
 */
export async function withRecordedDialect<Choices extends NamedChoices>(
  choices: Choices,
  isGiven: boolean,
  settings: Pick<Settings, 'ledger'>,
): Promise<Choices> {
  const asked = legacyShareOf(choices.settings);
  // The rows of v1 may be of any kind, and where nothing is said of how they are to be read, that is not compared.
  if (isGiven || (asked === 0 && !choices.givesReading)) return choices;
  const ledger = await openRecordsIfAny(settings);
  try {
    const found = await ledger?.findBatch(choices.name);
    const isThere = found !== undefined && found.state !== 'loading';
    return isThere ? withLegacyShare(choices, legacyShareOf(found.settings)) : choices;
  } finally {
    await ledger?.close();
  }
}
