import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkBody, cut, scratched } from '../check-body.ts';
import * as media from '../media.ts';

describe('an MP3 file', () => {
  it.each([
    ['frames of sound', media.mp3()],
    ['a Xing header', media.mp3WithXing()],
    ['tags in front and behind', media.id3(Buffer.concat([media.mp3(), Buffer.from('TAG'), Buffer.alloc(125)]))],
    ['an APE tag behind', Buffer.concat([media.mp3(), apeTag(40)])],
    ['several recordings one after the other', Buffer.concat([media.mp3WithXing(), media.id3(media.mp3WithXing(30))])],
    ['a little padding', Buffer.concat([media.id3(Buffer.alloc(100)), media.mp3(), Buffer.alloc(4000)])],
    ['a pause before its sound', Buffer.concat([media.silentMp3(), media.mp3(1)])],
  ])('is taken with %s', async (_, body) => {
    expect(await checkBody(body, 'mp3')).toBeUndefined();
  });

  it.each([
    ['is cut within its last frame', cut(media.mp3(), 1), 'ends at byte 1920, and the file at byte 1919'],
    ['is cut right after a header', cut(media.mp3(), 92), 'its last frame ends at byte 1920'],
    ['is cut within a header', cut(media.mp3(), 93), 'byte 1824 of 1827 belongs to no frame'],
    ['has other bytes in it', scratched(media.mp3(), 960), 'byte 960 of 1920 belongs to no frame'],
    ['has fewer bytes than it says', cut(media.mp3WithXing(), 96), 'has 2016 bytes, and only 1920 are there'],
    ['has fewer frames than it says', framesOnly(cut(media.mp3WithXing(), 192)), '20 frames, and only 18 are there'],
    ['is all tag', media.id3(Buffer.alloc(0)), 'without sound'],
    ['is all header', media.mp3WithXing(0), 'without sound'],
    ['ends within its tag', media.id3(Buffer.alloc(0)).subarray(0, 30), 'a tag ends at byte 60'],
    ['goes on with zeros', Buffer.concat([media.mp3(), Buffer.alloc(4097)]), 'byte 1920 of 6017 belongs to no frame'],
    ['is silent', media.silentMp3(), 'silent'],
    ['is silent in mono of version 2', silentVersion2(), 'silent'],
  ])('is found out that %s', async (_, body, words) => {
    const said = await checkBody(body, 'mp3');
    expect(said).toMatch(/^(Expected a whole [^.]*, but [^.]*\.|silent|without sound)$/u);
    expect(said).toContain(words);
  });

  it('is not called silent where one granule can be heard, or the frames do not tell', async () => {
    const body = media.silentMp3();
    // Two bits of the length of the last granule.
    const last = body.length - 417 + 4 + Math.floor((20 + 3 * 59) / 8);
    body.writeUInt8(3, last);
    // With the least gain nothing of it is heard.
    expect(await checkBody(body, 'mp3')).toBe('silent');
    body.writeUInt8(0b11_0100, last + 3);
    expect(await checkBody(body, 'mp3')).toBeUndefined();
    const layer2 = Buffer.alloc(384);
    layer2.writeUInt32BE(0xfffd8400, 0);
    expect(await checkBody(layer2, 'mp3')).toBeUndefined();
  });

  it('is found out wherever it is cut, but between two frames, where it is a whole shorter file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 30 }), fc.boolean(), fc.nat(), async (frames, isTagged, seed) => {
        const body = isTagged ? media.id3(media.mp3(frames)) : media.mp3(frames);
        const at = 4 + (seed % (body.length - 4));
        const isBetween = (at - (isTagged ? 60 : 0)) % 96 === 0 && at > 60;
        expect((await checkBody(body.subarray(0, at), 'mp3')) === undefined).toBe(isBetween);
      }),
    );
  });

  it('is found out wherever it is cut, if it says its length', async () => {
    const body = media.mp3WithXing(10);
    for (let at = 4; at < body.length; at += 7)
      expect(await checkBody(body.subarray(0, at), 'mp3')).toMatch(/^Expected a whole/);
  });
});

function apeTag(bytes: number): Buffer {
  const header = Buffer.alloc(32);
  header.write('APETAGEX', 0, 'latin1');
  header.writeUInt32LE(bytes, 12);
  return Buffer.concat([header, Buffer.alloc(bytes, 0x20)]);
}

/** Says how many frames there are, not how many bytes. */
function framesOnly(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  changed.writeUInt32BE(1, 25);
  return changed;
}

/** MPEG-2 layer III, 64 kbit/s, 22.05 kHz, mono, with a checksum: 208 bytes a frame. */
function silentVersion2(): Buffer {
  const frame = Buffer.alloc(208);
  frame.writeUInt32BE(0xfff280c0, 0);
  frame.writeUInt16BE(0xabcd, 4);
  return Buffer.concat([frame, frame]);
}
