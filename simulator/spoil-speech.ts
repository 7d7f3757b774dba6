import { hashOf } from './draw.ts';
import type { Sound } from './media-result.ts';
import { speechSeconds } from './media/melody.ts';

/**
 * Speech that was charged and delivered completely, but is wrong.
 *
 * - `other-words`: the same number of words, all different.
 * - `missing-sentence`: a sentence in the middle is missing; for a single sentence, its second half.
 * - `truncated`: it ends after a third of the text, in a complete file.
 * - `garbled`: noise in which a recogniser finds hardly any words.
 * - `silence`: silence of the same length.
 * - `other-voice`: the same words in a slower voice.
 */
export const SPOILT_SPEECH = [
  'other-words',
  'missing-sentence',
  'truncated',
  'garbled',
  'silence',
  'other-voice',
] as const;
/** What is wrong with speech that a verification should notice. */
export type SpoiltSpeech = (typeof SPOILT_SPEECH)[number];

/** Slow-down factor of the other voice. */
const SLOWER = 2.2;

/** The spoiled version of the requested speech. */
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
