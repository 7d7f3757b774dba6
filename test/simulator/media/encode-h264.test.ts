import { describe, expect, it } from '@jest/globals';
import { avcDecoderConfiguration, encodePicture, PICTURE_SIZE } from '../../../simulator/media/encode-h264.ts';

/** Whether a unit holds a byte sequence that would need emulation prevention (H.264, 7.4.1). */
function hasStartCode(unit: Buffer): boolean {
  for (let i = 0; i + 2 < unit.length; i++) {
    if (unit[i] === 0 && unit[i + 1] === 0 && (unit[i + 2] ?? 9) <= 3) return true;
  }
  return false;
}

describe('encodePicture', () => {
  it.each([0, 1, 2, 3])('writes picture %d as one IDR unit with its length in front', (index) => {
    const picture = encodePicture(index, 100, 110, 120);
    expect(picture.readUInt32BE(0)).toBe(picture.length - 4);
    expect((picture[4] ?? 0) & 0x1f).toBe(5);
    expect(hasStartCode(picture.subarray(4))).toBe(false);
    // Each macroblock carries its 384 samples as they are.
    expect(picture.filter((byte) => byte === 100).length).toBeGreaterThanOrEqual(PICTURE_SIZE ** 2);
  });

  it('makes neighbours differ in their IDR id', () => {
    const heads = [0, 1].map((index) => encodePicture(index, 100, 110, 120).subarray(4, 10).toString('hex'));
    expect(heads[0]).not.toBe(heads[1]);
  });
});

it('avcDecoderConfiguration names the profile and level of its parameter set', () => {
  const configuration = avcDecoderConfiguration();
  const length = configuration.readUInt16BE(6);
  const sps = configuration.subarray(8, 8 + length);
  expect([...sps.subarray(0, 4)]).toEqual([0x67, configuration[1], configuration[2], configuration[3]]);
  expect(hasStartCode(configuration)).toBe(false);
});
