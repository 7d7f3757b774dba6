import { describe, expect, it } from '@jest/globals';
import { adtsFrameBytes, id3Bytes, readMpegFrame } from '../../../store/containers/mpeg-frame.ts';
import { id3 } from '../media.ts';

const headed = (header: number, bytes = 64): Buffer => {
  const head = Buffer.alloc(bytes);
  head.writeUInt32BE(header, 0);
  return head;
};

describe('readMpegFrame', () => {
  it.each([
    ['version 1, layer III, 128 kbit/s, 44.1 kHz', 0xfffb9000, 417],
    ['the same, padded', 0xfffb9200, 418],
    ['version 1, layer III, 320 kbit/s, 48 kHz', 0xfffbe400, 960],
    ['version 1, layer II, 192 kbit/s, 48 kHz', 0xfffda400, 576],
    ['version 1, layer I, 384 kbit/s, 48 kHz', 0xffffc400, 384],
    ['version 1, layer I, 448 kbit/s, 32 kHz, padded', 0xffffea00, 676],
    ['version 2, layer III, 64 kbit/s, 22.05 kHz', 0xfff38000, 208],
    ['version 2, layer II, 160 kbit/s, 24 kHz', 0xfff5e400, 960],
    ['version 2, layer I, 256 kbit/s, 24 kHz', 0xfff7e400, 512],
    ['version 2.5, layer III, 8 kbit/s, 11.025 kHz', 0xffe31000, 52],
  ])('knows the size of a frame of %s', (_, header, size) => expect(readMpegFrame(headed(header))?.size).toBe(size));

  it.each([
    ['no sync', 0xff1b9000],
    ['a reserved version', 0xffeb9000],
    ['a reserved layer', 0xfff99000],
    ['a free bit rate', 0xfffb0000],
    ['a reserved bit rate', 0xfffbf000],
    ['a reserved sampling rate', 0xfffb9c00],
  ])('takes %s for no frame', (_, header) => {
    expect(readMpegFrame(headed(header))).toBeUndefined();
    expect(readMpegFrame(headed(header).subarray(0, 3))).toBeUndefined();
  });

  it.each([
    ['version 1, stereo', 0xfffb9000, [20, 79, 138, 197]],
    ['version 1, stereo with a checksum', 0xfffa9000, [36, 95, 154, 213]],
    ['version 1, mono', 0xfffb90c0, [18, 77]],
    ['version 2, stereo', 0xfff38000, [10, 73]],
    ['version 2, mono', 0xfff380c0, [9]],
  ])('calls a frame silent only if no granule has data: %s', (_, header, granules) => {
    expect(readMpegFrame(headed(header))?.isSilent).toBe(true);
    expect(readMpegFrame(headed(header, 10))?.isSilent).toBe(false);
    for (const bit of granules) {
      for (const at of [bit, bit + 11]) {
        const head = headed(header);
        const byte = 4 + (at >> 3);
        head.writeUInt8(head.readUInt8(byte) | (0x80 >> (at & 7)), byte);
        expect(readMpegFrame(head)?.isSilent).toBe(false);
      }
    }
  });

  it.each([
    ['version 1, stereo', 0xfffb9000, 36],
    ['version 1, mono', 0xfffb90c0, 21],
    ['version 2, stereo', 0xfff38000, 21],
    ['version 2, mono', 0xfff380c0, 13],
  ])('reads what a first frame says of the others: %s', (_, header, at) => {
    const head = headed(header);
    head.write('Info', at, 'latin1');
    expect(readMpegFrame(head)).toMatchObject({ isSilent: false, info: { frames: null, bytes: null } });
    head.writeUInt32BE(2, at + 4);
    head.writeUInt32BE(1_000, at + 8);
    expect(readMpegFrame(head)?.info).toEqual({ frames: null, bytes: 1_000 });
    head.writeUInt32BE(3, at + 4);
    head.writeUInt32BE(9_000, at + 12);
    expect(readMpegFrame(head)?.info).toEqual({ frames: 1_000, bytes: 9_000 });
    expect(readMpegFrame(head.subarray(0, at + 15))?.info).toBeUndefined();
  });
});

it('adtsFrameBytes takes only what has a size', () => {
  const frame = Buffer.from([0xff, 0xf1, 0x60, 0x40, 0x03, 0x7f, 0xfc]);
  expect(adtsFrameBytes(frame)).toBe(27);
  expect(adtsFrameBytes(frame.subarray(0, 6))).toBeUndefined();
  expect(adtsFrameBytes(Buffer.from([0xff, 0xf1, 0x60, 0x40, 0x00, 0x1f, 0xfc]))).toBeUndefined();
  expect(adtsFrameBytes(Buffer.from([0xff, 0xf1, 0x7c, 0x40, 0x03, 0x7f, 0xfc]))).toBeUndefined();
  expect(adtsFrameBytes(headed(0xfffb9000))).toBeUndefined();
});

it('id3Bytes counts the header, and a footer if there is one', () => {
  const tag = id3(Buffer.alloc(0));
  expect(id3Bytes(tag)).toBe(60);
  tag.writeUInt8(0x10, 5);
  expect(id3Bytes(tag)).toBe(70);
  tag.writeUInt8(1, 7);
  expect(id3Bytes(tag)).toBe(70 + 128 * 128);
  expect(id3Bytes(tag.subarray(0, 9))).toBe(0);
  expect(id3Bytes(Buffer.alloc(20))).toBe(0);
});
