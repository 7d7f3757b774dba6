import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_PRICES, type RowSpec } from '../../../contract/row-kinds.ts';
import { priceRows, type Priced, type Pricing } from '../../../inputs/money/price-rows.ts';
import type { Probe } from '../../../inputs/media/probe-media.ts';

const LENGTHS: Readonly<Record<string, number>> = { 'a:short': 4.2, 'a:long': 20, 'v:short': 6, 'v:long': 9.5 };
const probe: Probe = (url) => {
  const seconds = LENGTHS[url];
  return Promise.resolve(seconds === undefined ? { why: 'answers 404', isSilent: false } : { seconds });
};
const PRICING: Pricing = { prices: BUILT_IN_PRICES, tts: 'job' };
const dub: RowSpec = { kind: 'dub', text: 'abcd', voice: 'v', video: 'v:long', extra: {} };
const lipSync = (video: string, audio: string): RowSpec => ({ kind: 'lip-sync', video, audio, extra: {} });
const stt: RowSpec = { kind: 'stt', audio: 'a:short', extra: {} };

async function price(spec: RowSpec, pricing: Pricing): Promise<Priced | undefined> {
  // Frozen, because the rows of a caller stay as they are.
  return (await priceRows([Object.freeze({ spec })], pricing))[0];
}

describe('priceRows', () => {
  it.each([
    ['a transcription: the audio', stt, 4.2, 5],
    ['a lip-sync: the longer, here the audio', lipSync('v:short', 'a:long'), 20, 20],
    ['a lip-sync: the longer, here the video', lipSync('v:long', 'a:short'), 9.5, 10],
    ['a dub: the video, and its speech by the character', dub, 9.5, 12],
  ])('bills for %s', async (_, spec, duration, quoted) => {
    const priced = { spec: { ...spec, duration }, quoted, isAssumed: false };
    expect(await price(spec, { ...PRICING, probe })).toEqual(priced);
  });

  it('names what could not be read, and knows no price where one half of a lip-sync is unknown', async () => {
    const spec = lipSync('gone', 'a:long');
    const unpriced = { spec, quoted: null, isAssumed: false, notProbed: 'the video answers 404' };
    expect(await price(spec, { ...PRICING, probe })).toEqual(unpriced);
  });

  it('assumes a length only where none is found', async () => {
    const assuming = { ...PRICING, assumeSeconds: 60 };
    expect(await price(stt, { ...assuming, probe })).toMatchObject({ quoted: 5, isAssumed: false });
    expect(await price(stt, assuming)).toMatchObject({ quoted: 60, isAssumed: true });
    const gone = await price({ ...stt, audio: 'gone' }, { ...assuming, probe });
    expect(gone).toMatchObject({ quoted: 60, isAssumed: true, notProbed: 'the audio answers 404' });
  });

  it('has nothing to probe for speech that a user prices by the second', async () => {
    const speech: RowSpec = { kind: 'tts', text: 'abc', voice: 'v', extra: {} };
    const prices = { ...BUILT_IN_PRICES, 'speech-job': { unit: 'second', credits: 2, estimate: false } } as const;
    const unpriced = { spec: speech, quoted: null, isAssumed: false };
    expect(await price(speech, { ...PRICING, prices, probe })).toEqual(unpriced);
    expect(await price(speech, { ...PRICING, prices, assumeSeconds: 3 })).toMatchObject({ quoted: 6 });
  });
});
