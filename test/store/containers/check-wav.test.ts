import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkBody, cut } from '../check-body.ts';
import * as media from '../media.ts';

describe('a WAV file', () => {
  const samples = media.wav().subarray(44);
  const texts = Buffer.concat([Buffer.from('LIST\x04\0\0\0'), Buffer.from('INFO')]);
  const withTexts = Buffer.concat([media.wav(), texts]);
  withTexts.writeUInt32LE(withTexts.length - 8, 4);

  it.each([
    ['a header that fits', media.wav()],
    ['no length, as streams have', media.wavOf(samples, { size: 0xffffffff })],
    ['a length of 0, as some streams have', media.wavOf(samples, { size: 0 })],
    ['a length of almost 2 GiB, as some streams have', media.wavOf(samples, { size: 0x7ffff000 })],
    ['texts behind its sound', withTexts],
    ['a coding that is not looked into', media.wavOf(Buffer.alloc(100), { coding: 7, bits: 8 })],
    ['one moment that is not silent', media.wavOf(Buffer.concat([Buffer.alloc(200_000), Buffer.from([0, 0x20])]))],
    ['8 bits that are not silent', media.wavOf(Buffer.alloc(100, 0x60), { bits: 8 })],
  ])('is taken with %s', async (_, body) => {
    expect(await checkBody(body, 'wav')).toBeUndefined();
  });

  it.each([
    ['is cut', cut(media.wav(), 1), 'its sound is 3200 bytes long, and only 3199 are there'],
    ['is a header only', media.wav().subarray(0, 44), 'its sound is 3200 bytes long, and only 0 are there'],
    ['is less than a header', media.wav().subarray(0, 40), 'it has no sound (data chunk)'],
    ['has no samples', media.wavOf(Buffer.alloc(0)), 'without sound'],
    ['has less than a sample', media.wavOf(Buffer.alloc(1, 1)), 'without sound'],
    ['is a stream cut within a sample', media.wavOf(cut(samples, 1), { size: 0xffffffff }), 'a sample of 2 bytes'],
    ['is cut behind its sound', cut(withTexts, 2), 'it says that it has 3256 bytes, and only 3254 are there'],
    ['does not say its format', withoutFormat(), 'it does not say how its sound is coded'],
    ['is silent', media.wavOf(Buffer.alloc(200_000)), 'silent'],
    ['is silent in 8 bits', media.wavOf(Buffer.alloc(999, 0x80), { bits: 8 }), 'silent'],
    ['is silent in fractions', media.wavOf(Buffer.alloc(800), { coding: 3, bits: 32 }), 'silent'],
    ['holds nothing that can be heard', media.wavOf(Buffer.alloc(200_000, Buffer.from([40, 0]))), 'silent'],
    ['is at full scale throughout', media.wavOf(Buffer.alloc(800, Buffer.from([0xff, 0x7f]))), 'clipped throughout'],
    ['is a silent stream', media.wavOf(Buffer.alloc(800), { size: 0xffffffff }), 'silent'],
  ])('is found out that %s', async (_, body, words) => {
    const said = await checkBody(body, 'wav');
    expect(said).toMatch(/^(Expected a whole [^.]*, but [^.]*\.|silent|clipped throughout|without sound)$/u);
    expect(said).toContain(words);
  });

  it('is found out wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0.001, max: 0.2, noNaN: true }), fc.nat(), async (seconds, seed) => {
        const body = media.wav(seconds);
        expect(await checkBody(body.subarray(0, 12 + (seed % (body.length - 12))), 'wav')).toMatch(/^Expected a whole/);
      }),
    );
  });
});

it('raw audio is silent where all bytes are zero', async () => {
  expect(await checkBody(Buffer.alloc(200_000), 'pcm')).toBe('silent');
  expect(await checkBody(Buffer.concat([Buffer.alloc(200_000), Buffer.from([1])]), 'bin')).toBeUndefined();
  expect(await checkBody(Buffer.alloc(10), 'ulaw')).toBeUndefined();
});

function withoutFormat(): Buffer {
  const body = media.wav();
  body.write('junk', 12, 'latin1');
  return body;
}
