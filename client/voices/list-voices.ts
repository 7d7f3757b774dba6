import { ApiError, type SpeechApi, type Voice, type VoiceFilter } from '../../api/speech-api.ts';

/** Which voices are wanted. */
export type ListWish = Pick<VoiceFilter, 'search' | 'provider'>;

/**
 * The voices of the account. `filteredHere`: filters that the API ignores, so that they were applied here, by name, id and
 * provider. `unread`: the list cannot be read to its end.
 */
export type VoiceList =
  | {
      readonly type: 'listed';
      readonly voices: readonly Voice[];
      readonly filteredHere: readonly ('search' | 'provider')[];
    }
  | { readonly type: 'unread'; readonly why: string };

/** Reads all pages of the API's list of voices; free. */
export async function listVoices(
  api: Pick<SpeechApi, 'listVoices'>,
  { search, provider }: ListWish,
): Promise<VoiceList> {
  const voices: Voice[] = [];
  const filteredHere: ('search' | 'provider')[] = [];
  const onIgnored: VoiceFilter['onIgnored'] = (filter) => filteredHere.push(filter);
  try {
    for await (const voice of api.listVoices({ search, provider, onIgnored })) voices.push(voice);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: 'unread', why: error.failure.message };
  }
  return { type: 'listed', voices, filteredHere };
}
