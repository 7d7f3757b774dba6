import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SpeechPaces } from '../../activities/speech-paces.ts';

const TEXT = 'the harbour was quiet that night and nobody heard the small boat come in before the morning';
const SECONDS = TEXT.length / 15;

/** A voice of which so many results are known, each up to this much faster or slower. */
function known(count: number, spread = 0.3): SpeechPaces {
  const paces = new SpeechPaces();
  for (let at = 0; at < count; at++) paces.judge({ text: TEXT, voice: 'ada' }, SECONDS * (1 + spread * Math.sin(at)));
  return paces;
}

describe('the pace of speech', () => {
  it('finds a third of a text, and a voice that takes twice as long and more', () => {
    expect(known(30, 0.1).judge({ text: TEXT, voice: 'ada' }, SECONDS / 3)).toBe('far too short for its text');
    expect(known(30, 0.1).judge({ text: TEXT, voice: 'ada' }, SECONDS * 2.4)).toBe('far too long for its text');
  });

  it('says nothing of a voice that it hardly knows, of short texts, and of numbers', () => {
    expect(known(19).judge({ text: TEXT, voice: 'ada' }, SECONDS / 9)).toBeUndefined();
    expect(known(30).judge({ text: TEXT, voice: 'ben' }, SECONDS / 9)).toBeUndefined();
    expect(known(30).judge({ text: 'Yes.', voice: 'ada' }, 9)).toBeUndefined();
    expect(known(30).judge({ text: '0123456789 '.repeat(20), voice: 'ada' }, 90)).toBeUndefined();
  });

  it('raises no alarm for good speech, however long, of any usual pace', () => {
    const lengths = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 400 }), fc.double({ min: 0.75, max: 1.3, noNaN: true })),
      {
        minLength: 30,
        maxLength: 120,
      },
    );
    fc.assert(
      fc.property(lengths, fc.double({ min: 0.5, max: 2, noNaN: true }), (rows, pace) => {
        const paces = new SpeechPaces();
        for (const [words, own] of rows) {
          const text = 'word '.repeat(words);
          expect(paces.judge({ text, voice: 'ada' }, (text.length / 15) * pace * own)).toBeUndefined();
        }
      }),
    );
  });
});
