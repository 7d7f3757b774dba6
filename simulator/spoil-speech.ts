import { hashOf } from './draw.ts';
import type { Sound } from './media-result.ts';
import { speechSeconds } from './media/melody.ts';

/**
 * Speech that was charged and came whole, but is not what was asked for.
 *
 * - `other-words`: as many words, and all of them others.
 * - `missing-sentence`: one sentence is left out, in the middle; of a text of one sentence, its second half.
 * - `truncated`: it ends after a third of the text, with a whole file.
 * - `garbled`: noise in which a recogniser finds hardly a word.
 * - `silence`: as long as the speech would be.
 * - `other-voice`: the same words by a voice that speaks more slowly.
 */
export const SPOILT_SPEECH = [
  'other-words',
  'missing-sentence',
  'truncated',
  'garbled',
  'silence',
  'other-voice',
] as const;
export type SpoiltSpeech = (typeof SPOILT_SPEECH)[number];

/** How much longer the other voice takes. */
const SLOWER = 2.2;

/** What is heard instead of the speech that was asked for. */
export function spoilSpeech(sound: Sound, as: SpoiltSpeech): Sound {
  switch (as) {
    case 'other-words':
      return say(sound, otherWords(sound.text));
    case 'missing-sentence':
      return say(sound, withoutSentence(sound.text));
    case 'truncated':
      return say(sound, cut(sound.text, 1 / 3));
    case 'garbled':
      return { ...sound, text: otherWords(cut(sound.text, 1 / 4)), key: `${sound.key} garbled` };
    case 'silence':
      return { ...sound, text: '', isSilent: true };
    case 'other-voice':
      return { ...sound, key: `${sound.key} by another`, seconds: sound.seconds * SLOWER, isByAnother: true };
  }
}

function say(sound: Sound, text: string): Sound {
  return { ...sound, text, key: `${sound.key} as ${text}`, seconds: speechSeconds(text) };
}

const OTHERS = ['copper', 'window', 'seven', 'gently', 'harbour', 'Ofen', 'vers', 'lumière', 'zebra', 'quartz'];

function otherWords(text: string): string {
  const count = Math.max(1, text.split(/\s+/).length, Math.round(Array.from(text).length / 8));
  return Array.from({ length: count }, (_, at) => OTHERS[hashOf(text, at) % OTHERS.length] ?? 'copper').join(' ');
}

function cut(text: string, share: number): string {
  const characters = Array.from(text);
  return characters.slice(0, Math.max(1, Math.round(characters.length * share))).join('');
}

function withoutSentence(text: string): string {
  const sentences = text.match(/[^.!?。！？]+[.!?。！？]*\s*/gu) ?? [text];
  if (sentences.length < 2) return cut(text, 1 / 2);
  const at = sentences.length >> 1;
  return sentences.filter((_, index) => index !== at).join('');
}
