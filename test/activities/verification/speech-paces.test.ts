import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SpeechPaces } from '../../../activities/verification/speech-paces.ts';

const TEXT = 'the harbour was quiet that night and nobody heard the small boat come in before the morning';
const ADA = { text: TEXT, voice: 'ada', extra: {} };
const SECONDS = TEXT.length / 15;

/** A voice of which so many results are known, each up to this much faster or slower. */
function known(count: number, spread = 0.3): SpeechPaces {
  const paces = new SpeechPaces();
  for (let at = 0; at < count; at++) paces.judge(ADA, SECONDS * (1 + spread * Math.sin(at)));
  return paces;
}

describe('the pace of speech', () => {
  it('finds a third of a text, and a voice that takes twice as long and more', () => {
    expect(known(30, 0.1).judge(ADA, SECONDS / 3)).toBe('far too short for its text');
    expect(known(30, 0.1).judge(ADA, SECONDS * 2.4)).toBe('far too long for its text');
  });

  it('says nothing of a voice that it hardly knows, of short texts, and of numbers', () => {
    expect(known(19).judge(ADA, SECONDS / 9)).toBeUndefined();
    expect(known(30).judge({ ...ADA, voice: 'ben' }, SECONDS / 9)).toBeUndefined();
    expect(known(30).judge({ ...ADA, text: 'Yes.' }, 9)).toBeUndefined();
    expect(known(30).judge({ ...ADA, text: '0123456789 '.repeat(20) }, 90)).toBeUndefined();
  });

  it.each([{ speed: 0.5 }, { engine: 'slow' }, { language: 'de' }, { extra: { style: 'slow' } }])(
    'compares only what was asked for alike: not with %j',
    (other) => {
      const paces = known(40, 0.1);
      for (let at = 0; at < 19; at++) expect(paces.judge({ ...ADA, ...other }, SECONDS * 9)).toBeUndefined();
      expect(paces.judge(ADA, SECONDS * 9)).toBe('far too long for its text');
    },
  );

  it('does not depend on the order of fields', () => {
    const paces = new SpeechPaces();
    for (let at = 0; at < 20; at++) paces.judge({ ...ADA, extra: { style: 'slow', pitch: 2 } }, SECONDS);
    expect(paces.judge({ ...ADA, extra: { pitch: 2, style: 'slow' } }, SECONDS * 3)).toBeDefined();
  });

  it('is learnt anew when a voice has changed: a series of slow results ends after five', () => {
    const paces = known(20, 0.1);
    const odd = Array.from({ length: 80 }, (_, at) => paces.judge(ADA, SECONDS * (2.5 + 0.2 * Math.sin(at))));
    expect(odd.filter((one) => one !== undefined)).toHaveLength(5);
    expect(paces.judge(ADA, SECONDS)).toBe('far too short for its text');
  });

  it('is not learnt from results that are bad in several ways, nor from those among good ones', () => {
    const paces = known(40, 0.1);
    for (let at = 0; at < 30; at++) {
      expect(paces.judge(ADA, SECONDS * 2.5)).toBe('far too long for its text');
      expect(paces.judge(ADA, at % 2 === 0 ? SECONDS / 3 : SECONDS)).toBe(
        at % 2 === 0 ? 'far too short for its text' : undefined,
      );
    }
  });

  it('of a voice is forgotten after a thousand others, so that a field with a value for each row costs no memory', () => {
    const paces = known(40, 0.1);
    for (let seed = 0; seed < 1_000; seed++) paces.judge({ ...ADA, extra: { seed } }, SECONDS);
    expect(paces.judge(ADA, SECONDS * 9)).toBeUndefined();
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
          expect(paces.judge({ ...ADA, text }, (text.length / 15) * pace * own)).toBeUndefined();
        }
      }),
    );
  });
});
