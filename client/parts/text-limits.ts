import { readBaseUrl } from '../../api/base-url.ts';
import { withAnyLength, type BatchChoices } from '../../batches/batch-settings.ts';
import type { TextLimits } from '../../contract/text-limits.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openRecordsIfAny } from '../open-records.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';

/**
 * The choices for the manifest of a named batch, with what was learnt of the longest texts that the API takes. The configuration
 * goes first. For a batch on record see {@link withAnyLength}. `apiUrl`: undefined if none is set.
 */
export async function withTextLimits<Choices extends BatchChoices & { readonly name: string }>(
  choices: Choices,
  apiUrl: string | undefined,
  settings: Pick<Settings, 'ledger'>,
): Promise<Choices> {
  return withRecords(settings, async (ledger) => {
    const found = await ledger?.findBatch(choices.name);
    const isOnRecord = found !== undefined && found.state !== 'loading';
    if (!isOnRecord) return withLearnt(choices, apiUrl, ledger);
    // Nor are its fields checked again: an earlier version took more of them.
    return { ...choices, manifest: { ...withAnyLength(choices.manifest), anyApiField: true } };
  });
}

/** The choices for a manifest by itself, whatever batch it may be. */
export async function withLearntLimits<Choices extends BatchChoices>(
  choices: Choices,
  apiUrl: string | undefined,
  settings: Pick<Settings, 'ledger'>,
): Promise<Choices> {
  return withRecords(settings, (ledger) => withLearnt(choices, apiUrl, ledger));
}

/** What was learnt of the longest texts that this API takes; nothing if there is no ledger. */
export async function learntLimits(
  apiUrl: string | undefined,
  settings: Pick<Settings, 'ledger'>,
): Promise<TextLimits | undefined> {
  return apiUrl === undefined ? undefined : withRecords(settings, async (ledger) => ledger?.textLimits(apiUrl));
}

async function withLearnt<Choices extends BatchChoices>(
  choices: Choices,
  apiUrl: string | undefined,
  ledger: Ledger | undefined,
): Promise<Choices> {
  const { manifest } = choices;
  const learnt = apiUrl === undefined ? undefined : await ledger?.textLimits(apiUrl);
  return { ...choices, manifest: { ...manifest, textLimits: { ...learnt, ...manifest.textLimits } } };
}

async function withRecords<T>(
  settings: Pick<Settings, 'ledger'>,
  work: (ledger: Ledger | undefined) => Promise<T>,
): Promise<T> {
  const ledger = await openRecordsIfAny(settings);
  try {
    return await work(ledger);
  } finally {
    await ledger?.close();
  }
}

/** The address of the API; undefined if it is not set, or not well. That is told when it is needed. */
export async function apiUrlOf(session: Session): Promise<string | undefined> {
  try {
    return readBaseUrl((await session.access()).baseUrl).baseUrl;
  } catch {
    return undefined;
  }
}
