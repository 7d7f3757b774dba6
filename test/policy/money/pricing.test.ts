import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUILT_IN_PRICES, type PriceTable, type RowSpec } from '../../../contract/row-kinds.ts';
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
  ])('prices %j at %d', (text, credits) => {
    expect(speech(text)).toBe(credits);
  });

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

  it('does not round up what only a binary fraction adds', () => {
    const prices: PriceTable = {
      ...BUILT_IN_PRICES,
      'speech-job': { unit: 'character', credits: 0.1, estimate: false },
    };
    const spec: RowSpec = { kind: 'tts', text: 'a'.repeat(30), extra: {} };
    expect(quoteStep('speech-job', spec, prices)).toBe(3);
  });
});

describe('quoteStep per second and per job', () => {
  const stt = (duration?: number): RowSpec => ({
    kind: 'stt',
    audio: 'https://a.example/x.mp3',
    ...(duration === undefined ? {} : { duration }),
    extra: {},
  });

  it('counts started seconds', () => {
    expect(quoteStep('transcription', stt(4), BUILT_IN_PRICES)).toBe(4);
    expect(quoteStep('transcription', stt(4.01), BUILT_IN_PRICES)).toBe(5);
    expect(quoteStep('transcription', stt(), BUILT_IN_PRICES)).toBeNull();
  });

  it('takes each second at its price', () => {
    const prices: PriceTable = { ...BUILT_IN_PRICES, transcription: { unit: 'second', credits: 2.5, estimate: false } };
    expect(quoteStep('transcription', stt(4), prices)).toBe(10);
  });

  it('takes a price per job as it is', () => {
    const prices: PriceTable = { ...BUILT_IN_PRICES, transcription: { unit: 'job', credits: 2.5, estimate: false } };
    expect(quoteStep('transcription', stt(), prices)).toBe(2.5);
  });

  it('knows no price per character without a text', () => {
    const prices: PriceTable = {
      ...BUILT_IN_PRICES,
      transcription: { unit: 'character', credits: 1, estimate: false },
    };
    expect(quoteStep('transcription', stt(3), prices)).toBeNull();
  });
});

describe('quoteStep of a row of an earlier version that sends another text', () => {
  const quoteWith = (extra: RowSpec['extra'], text = 'abcd'): number | null =>
    quoteStep('speech-job', { kind: 'tts', text, voice: 'v', extra }, BUILT_IN_PRICES);

  it('is by the dearer of both, however the field is written', () => {
    expect(quoteWith({ text: 'x'.repeat(40) })).toBe(20);
    expect(quoteWith({ TEXT: 'x'.repeat(40) })).toBe(20);
    expect(quoteWith({ text: 'x' })).toBe(2);
    expect(quoteWith({ seed: 'x'.repeat(40) })).toBe(2);
  });

  it('is unknown if what is sent is no text', () => {
    expect(quoteWith({ text: ['a', 'b'] })).toBeNull();
  });
});

describe('quoteRow', () => {
  const dub: RowSpec = { kind: 'dub', text: 'abcd', voice: 'v', video: 'https://a.example/v.mp4', extra: {} };

  it('adds the steps of a chain, and is null when one is unknown', () => {
    expect(quoteRow('dub', { ...dub, duration: 9.2 }, 'job', BUILT_IN_PRICES)).toBe(12);
    expect(quoteRow('dub', dub, 'job', BUILT_IN_PRICES)).toBeNull();
  });
});

describe('quoteFrom', () => {
  const terms = { prices: BUILT_IN_PRICES, tts: 'job' } as const;
  const dub: RowSpec = { kind: 'dub', text: 'abcd', voice: 'v', video: 'https://a.example/v.mp4', extra: {} };

  it('quotes a step, and what comes after it', () => {
    expect(quoteFrom('dub', 'speech', { ...dub, duration: 9.2 }, terms)).toEqual({ quoted: 2, quotedRest: 10 });
    expect(quoteFrom('dub', 'lip-sync', { ...dub, duration: 9.2 }, terms)).toEqual({ quoted: 10, quotedRest: 0 });
    expect(quoteFrom('tts', 'speech', { ...dub, kind: 'tts' }, terms)).toEqual({ quoted: 2, quotedRest: 0 });
  });

  it('knows the price of a step although that of a later one is not known', () => {
    expect(quoteFrom('dub', 'speech', dub, terms)).toEqual({ quoted: 2, quotedRest: null });
    expect(quoteFrom('dub', 'lip-sync', dub, terms)).toEqual({ quoted: null, quotedRest: 0 });
  });
});
