import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defined } from '../../../contract/defined.ts';
import { BUILT_IN_PRICES, type Operation, type PriceTable, type RowSpec } from '../../../contract/row-kinds.ts';
import { quoteFrom, quoteRow, quoteStep } from '../../../policy/money/pricing.ts';

const speech = (text: string): number | null =>
  quoteStep('speech-job', { kind: 'tts', text, voice: 'v', extra: {} }, BUILT_IN_PRICES);

describe('quoteStep per character', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['ab', 1],
    ['abc', 2],
    ['Grüße!', 3],
    ['你好', 2],
    ['你好 a', 3],
    ['こんにちは', 5],
    ['カタカナ', 4],
    ['한국어', 3],
    ['𠀀𠀁', 2],
    ['ＡＢ', 2],
    ['你好。', 3],
    ['🙂🙂', 1],
    ['Привет', 3],
  ])('prices %j at %d', (text, credits) => expect(speech(text)).toBe(credits));

  it('is between half and one credit a code point, rounded up', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const points = Array.from(text).length;
        const quote = speech(text) ?? Number.NaN;
        expect(quote).toBeGreaterThanOrEqual(points / 2);
        expect(quote).toBeLessThanOrEqual(points);
        expect(Number.isInteger(quote)).toBe(true);
      }),
    );
  });
});

describe('quoteStep', () => {
  const VIDEO = 'https://a.example/v.mp4';
  const priced = (operation: Operation, unit: 'character' | 'second' | 'job', credits: number): PriceTable => {
    return { ...BUILT_IN_PRICES, [operation]: { unit, credits, estimate: false } };
  };
  const perChar = priced('speech-job', 'character', 0.1);
  const stt = (duration?: number): RowSpec => ({ kind: 'stt', audio: VIDEO, ...defined({ duration }), extra: {} });
  const tts = (text: string, extra: RowSpec['extra'] = {}): RowSpec => ({ kind: 'tts', text, voice: 'v', extra });
  const x40 = 'x'.repeat(40);

  it.each<[string, Operation, RowSpec, number | null, PriceTable?]>([
    ['rounds no binary fraction up', 'speech-job', tts('a'.repeat(30)), 3, perChar],
    ['takes whole seconds as they are', 'transcription', stt(4), 4],
    ['counts started seconds', 'transcription', stt(4.01), 5],
    ['knows no price of an unknown length', 'transcription', stt(), null],
    ['takes each second at its price', 'transcription', stt(4), 10, priced('transcription', 'second', 2.5)],
    ['takes a price per job as it is', 'transcription', stt(), 2.5, priced('transcription', 'job', 2.5)],
    ['knows none of no characters', 'transcription', stt(3), null, priced('transcription', 'character', 1)],
    // Rows of an earlier version may send another text: the dearer counts, however the field is written.
    ['is by another text that is sent', 'speech-job', tts('abcd', { text: x40 }), 20],
    ['is by it in capitals', 'speech-job', tts('abcd', { TEXT: x40 }), 20],
    ['is not by a shorter one', 'speech-job', tts('abcd', { text: 'x' }), 2],
    ['is not by another field', 'speech-job', tts('abcd', { seed: x40 }), 2],
    ['is unknown if what is sent is no text', 'speech-job', tts('abcd', { text: ['a', 'b'] }), null],
  ])('%s', (_, operation, spec, credits, prices = BUILT_IN_PRICES) => {
    expect(quoteStep(operation, spec, prices)).toBe(credits);
  });

  const dub: RowSpec = { kind: 'dub', text: 'abcd', voice: 'v', video: VIDEO, extra: {} };
  const known = { ...dub, duration: 9.2 };
  it('quotes a row by its steps, and a step with what comes after it, as far as it is known', () => {
    const terms = { prices: BUILT_IN_PRICES, tts: 'job' } as const;
    expect(quoteRow('dub', known, 'job', BUILT_IN_PRICES)).toBe(12);
    expect(quoteRow('dub', dub, 'job', BUILT_IN_PRICES)).toBeNull();
    expect(quoteFrom('dub', 'speech', known, terms)).toEqual({ quoted: 2, quotedRest: 10 });
    expect(quoteFrom('dub', 'lip-sync', known, terms)).toEqual({ quoted: 10, quotedRest: 0 });
    expect(quoteFrom('tts', 'speech', { ...dub, kind: 'tts' }, terms)).toEqual({ quoted: 2, quotedRest: 0 });
    expect(quoteFrom('dub', 'speech', dub, terms)).toEqual({ quoted: 2, quotedRest: null });
    expect(quoteFrom('dub', 'lip-sync', dub, terms)).toEqual({ quoted: null, quotedRest: 0 });
  });
});
