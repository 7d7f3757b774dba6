import { readVoices } from '../../api/voices/read-voices.ts';
import type { SpeechApi, Voice } from '../../api/speech-api.ts';
import { nearestName } from '../../inputs/voices/nearest-name.ts';
import { nameAskedFor, VoiceNames } from '../../policy/voices/voice-name.ts';

/** How long the whole list may take, ms. */
const PATIENCE_MS = 60_000;
const TRIES = 4;

/**
 * What an id, or `name:` and a name, stands for in the API's list. `unlisted`: it is not there, and `nearest` is most like
 * it; the list may leave out voices that work; `isName`: voices have it as their name. `unread`: the list cannot be read.
 */
export type FoundVoice =
  | { readonly type: 'found'; readonly voice: Voice }
  | { readonly type: 'ambiguous'; readonly voices: readonly Voice[] }
  | { readonly type: 'unlisted'; readonly nearest: string | undefined; readonly isName: boolean }
  | { readonly type: 'unread'; readonly why: string };

/** Looks a voice up in the API's list; free. */
export async function findVoice(api: Pick<SpeechApi, 'listVoices'>, asked: string): Promise<FoundVoice> {
  const name = nameAskedFor(asked);
  const ids = name === undefined ? new Set([asked]) : undefined;
  const read = await readVoices(api, { ids, patienceMs: PATIENCE_MS, tries: TRIES });
  if (read.type === 'cut') return { type: 'unread', why: read.why };
  const voices = [...read.voices.values()];
  if (name === undefined) {
    const voice = read.voices.get(asked);
    if (voice !== undefined) return found(voice);
    // A name is easily given without its prefix.
    const isName = new VoiceNames(voices).find(asked).type !== 'unknown';
    return { type: 'unlisted', isName, nearest: isName ? `name:${asked}` : nearest(asked, [...read.voices.keys()]) };
  }
  const named = new VoiceNames(voices).find(name);
  switch (named.type) {
    case 'found':
      return found(named.voice);
    case 'ambiguous':
      return named;
    case 'unknown': {
      const like = nearest(
        name,
        voices.map((voice) => voice.name),
      );
      return { type: 'unlisted', isName: false, nearest: like === undefined ? undefined : `name:${like}` };
    }
  }
}

function found(voice: Voice): FoundVoice {
  return { type: 'found', voice };
}

function nearest(word: string, among: readonly string[]): string | undefined {
  return among.length === 0 ? undefined : nearestName(word, among).name;
}
