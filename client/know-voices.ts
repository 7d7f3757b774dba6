import { readVoices } from '../api/read-voices.ts';
import type { SpeechApi } from '../api/speech-api.ts';
import { checkVoices, type CheckedVoices } from '../batches/check-voices.ts';
import type { SoundManifest } from '../inputs/read-manifest.ts';
import { VoxbatchError } from './problem.ts';

/** The voices of a manifest, as far as the API's list knows them; or what is wrong with them. */
export type KnownVoices = Exclude<CheckedVoices, { readonly type: 'unread' }>;

/** Nothing had to be looked up. */
export const NO_VOICES: Extract<KnownVoices, { readonly type: 'sound' }> = {
  type: 'sound',
  voices: new Map(),
  warnings: [],
};

/**
 * Looks up the voices of a manifest in the API's list; free. Throws {@link VoxbatchError} (`voices-unread`) if it names
 * voices and the list cannot be read.
 */
export async function knowVoices(api: Pick<SpeechApi, 'speaking'>, manifest: SoundManifest): Promise<KnownVoices> {
  const checked = await checkVoices(manifest, (wanted, dialect) => readVoices(api.speaking(dialect), wanted));
  if (checked.type !== 'unread') return checked;
  const { why, names, first } = checked;
  throw new VoxbatchError({ type: 'voices-unread', why, names, first });
}
