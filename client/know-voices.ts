import { readVoicesIn } from '../api/read-voices.ts';
import type { SpeechApi } from '../api/speech-api.ts';
import { checkVoices, type CheckedVoices, type ReadVoices } from '../batches/check-voices.ts';
import type { SoundManifest } from '../inputs/read-manifest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { JobHolder } from '../ledger/record-types.ts';
import { VoxbatchError } from './problem.ts';

/** The voices of a manifest, as far as the API's list knows them; or what is wrong with them. */
export type KnownVoices = Exclude<CheckedVoices, { readonly type: 'unread' }>;

/** Nothing had to be looked up. */
export const NO_VOICES: Extract<KnownVoices, { readonly type: 'sound' }> = {
  type: 'sound',
  voices: new Map(),
  warnings: [],
};

type Records = Pick<Ledger, 'accountsAt' | 'holderOfJob'>;

/**
 * Looks up the voices of a manifest in the API's list; free. `ledger`: tells which rows made voices before, if there is
 * one. Throws {@link VoxbatchError} (`voices-unread`) if it names voices and the list cannot be read.
 */
export async function knowVoices(
  api: Pick<SpeechApi, 'baseUrl' | 'speaking'>,
  manifest: SoundManifest,
  ledger: Records | undefined,
): Promise<KnownVoices> {
  const read: ReadVoices = (wanted, dialect) => readVoicesIn(api, dialect, wanted);
  const checked = await checkVoices(manifest, read, { madeBy: (id) => rowThatMade(id, api.baseUrl, ledger) });
  if (checked.type !== 'unread') return checked;
  const { why, names, first } = checked;
  throw new VoxbatchError({ type: 'voices-unread', why, names, first });
}

/** The row that made a voice of an API, of whatever account. */
async function rowThatMade(
  voiceId: string,
  apiUrl: string,
  ledger: Records | undefined,
): Promise<JobHolder | undefined> {
  for (const account of (await ledger?.accountsAt(apiUrl)) ?? []) {
    const holder = await ledger?.holderOfJob(apiUrl, account, 'voice', voiceId);
    if (holder !== undefined) return holder;
  }
  return undefined;
}
