import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkBody, cut, scratched } from './check-body.ts';
import * as media from './media.ts';

describe('a video', () => {
  it('is taken with its index first, last, or in fragments', async () => {
    for (const make of [media.mp4, media.mp4WithIndexLast, media.fragmentedMp4])
      expect(await checkBody(await make(), 'mp4', 'video')).toBeUndefined();
    expect(await checkBody(await media.mkv(), 'mkv', 'video')).toBeUndefined();
    expect(await checkBody(await media.mp4WithIndexLast({ picture: false }), 'm4a')).toBeUndefined();
    const open = Buffer.concat([await media.mp4WithIndexLast(), media.box('free', Buffer.alloc(20))]);
    open.writeUInt32BE(0, open.length - 28);
    expect(await checkBody(open, 'mp4', 'video')).toBeUndefined();
  });

  it('needs a picture and a sound', async () => {
    const deaf = await media.mp4WithIndexLast({ sound: false });
    const blind = await media.mp4WithIndexLast({ picture: false });
    expect(await checkBody(deaf, 'mp4', 'video')).toBe('without sound');
    expect(await checkBody(deaf, 'mp4', 'audio')).toBe('without sound');
    expect(await checkBody(blind, 'mp4', 'video')).toBe('without a picture');
    const boxes = [media.box('moov', Buffer.alloc(100)), media.box('mdat', Buffer.alloc(50))];
    const empty = Buffer.concat([media.ftyp(), ...boxes]);
    expect(await checkBody(empty, 'mp4', 'video')).toBe('without a picture');
  });

  it('has all that its index names', async () => {
    const body = await media.mp4();
    const content = body.indexOf('mdat');
    const half = cut(body, 10_000);
    // The box is as long as the file again; only the index tells.
    half.writeUInt32BE(half.length - content + 4, content - 4);
    const lacking = /its (picture|sound) has \d+ pieces, and only \d+ are there/u;
    expect(await checkBody(half, 'mp4', 'video')).toMatch(lacking);
    const index = body.subarray(0, content - 4);
    expect(await checkBody(index, 'mp4', 'video')).toContain('pieces, and only 0 are there');
  });

  it.each([
    ['index first', async () => media.mp4(0.6)],
    ['index last', async () => media.mp4WithIndexLast({ seconds: 0.6 })],
  ])('is found out wherever it is cut: %s', async (_, make) => {
    const body = await make();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 8, max: body.length - 1 }), async (at) => {
        expect(await checkBody(body.subarray(0, at), 'mp4', 'video')).toMatch(/^Expected a whole/);
      }),
    );
  });

  it('of fragments is found out wherever it is cut, but between two, where it is a whole shorter file', async () => {
    const body = await media.fragmentedMp4({ seconds: 3 });
    const ends = boxEnds(body);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom(...ends.map(({ end }) => end)), fc.integer({ min: 8, max: body.length - 1 })),
        async (at) => {
          const isBetween = ends.some(({ end, name }) => end === at && ['mdat', 'mfra'].includes(name));
          expect((await checkBody(body.subarray(0, at), 'mp4', 'video')) === undefined).toBe(isBetween);
        },
      ),
    );
  });

  it.each([
    ['ends within the header of a box', async () => Buffer.concat([await media.mp4(), Buffer.alloc(5)]), 'is broken'],
    [
      'has a broken box',
      async () => Buffer.concat([await media.mp4(), Buffer.from('\0\0\0\x04freeabcd')]),
      'is broken',
    ],
    ['has no index', () => Promise.resolve(Buffer.concat([media.ftyp(), media.box('mdat', Buffer.alloc(9))])), 'moov'],
    ['names pieces that cannot be there', () => scratchedTable('stsz'), 'pieces, and only 0 are there'],
    ['names places that are not there', () => scratchedTable('stco'), 'pieces, and only 1 are there'],
  ])('is refused that %s', async (_, make, words) => {
    expect(await checkBody(await make(), 'mp4', 'video')).toContain(words);
  });
});

describe('a file of another kind', () => {
  it('is none that says it lasts as long as nothing does', async () => {
    const slow = media.wav(1);
    slow.writeUInt32LE(0, 24);
    expect(await checkBody(slow, 'wav')).toContain('of no possible length');
    const long = await media.mp4();
    // Ticks a second, of the whole and of its tracks: 1 instead of many, and each lasts as many seconds.
    overwrite(long, 'stts', 16, 0x7fff_ffff);
    expect(await checkBody(long, 'mp4', 'video')).toContain('of no possible length');
  });

  it('is no index of a few bytes that names more than the file holds', async () => {
    const hungry = await media.mp4();
    // Many bytes each, so that few of them are read: the library takes ever longer for each.
    overwrite(hungry, 'stsz', 8, 64);
    for (const [name, offset] of Object.entries({ stsz: 12, stsc: 16, stts: 12 }))
      overwrite(hungry, name, offset, 200_000);
    expect(await checkBody(hungry, 'mp4', 'video')).toMatch(/^Expected a whole mp4 file, but /u);
  });

  it('is no index one of whose tables alone names more samples than the file has bytes', async () => {
    const body = await media.mp4WithIndexLast({ seconds: 1, picture: false });
    const more = `its index names more samples than its ${String(body.length)} bytes can hold`;
    const tables = { stts: 12, stsc: 16, stsz: 12 };
    for (const [name, offset] of Object.entries(tables)) {
      const hungry = Buffer.from(body);
      hungry.writeUInt32BE(0x7fff_ffff, hungry.indexOf(name) + offset);
      expect(await checkBody(hungry, 'm4a')).toContain(more);
    }
    // The library counts to two thousand million for a table that is gone.
    const gone = await media.hungryM4a();
    gone.fill(0xff, gone.indexOf('stsz') - 4, gone.indexOf('stsz') + 4);
    expect(await checkBody(gone, 'm4a')).toContain(more);
    const fragments = await media.fragmentedMp4({ seconds: 1 });
    fragments.writeUInt32BE(0x7fff_ffff, fragments.indexOf('trun') + 8);
    expect(await checkBody(fragments, 'mp4', 'video')).toContain('its index names more samples than its');
  });

  it('is no box of no length', async () => {
    expect(await checkBody(media.standingMp4(), 'mp4')).toContain('its box at byte 16 of 32 is broken');
  });

  it('is a Matroska file with all of its segment', async () => {
    const body = await media.mkv();
    const ended = /its content ends at byte \d+, and the file at byte \d+/u;
    expect(await checkBody(cut(body, 1), 'mkv', 'video')).toMatch(ended);
    expect(await checkBody(media.ebml('webm'), 'webm')).toContain('segment');
    expect(await checkBody(Buffer.concat([body.subarray(0, 5), Buffer.alloc(60, 1)]), 'mkv')).toContain('segment');
    // A live stream does not say its length, but its duration may.
    const open = Buffer.from(body);
    const segment = open.indexOf(Buffer.from('18538067', 'hex'));
    open.fill(0xff, segment + 5, segment + 10);
    open.writeUInt8(7, segment + 4);
    expect(await checkBody(open, 'mkv', 'video')).toBeUndefined();
    expect(await checkBody(cut(open, 20_000), 'mkv', 'video')).toMatch(/it lasts 3\.0 s, and only \d\.\d s are there/u);
  });

  it('is left alone if it is none that is known', async () => {
    expect(await checkBody(Buffer.alloc(0), 'alaw')).toBeUndefined();
  });
});

/** Writes a number at an offset of every box of this name. */
function overwrite(body: Buffer, name: string, offset: number, value: number): void {
  for (let at = body.indexOf(name); at >= 0; at = body.indexOf(name, at + 4)) body.writeUInt32BE(value, at + offset);
}

/** An MP4 with other bytes in a table of its index. */
async function scratchedTable(name: string): Promise<Buffer> {
  const body = await media.mp4();
  return scratched(body, body.indexOf(name) + 16);
}

/** Ends of the outer boxes of an MP4. */
function boxEnds(body: Buffer): { end: number; name: string }[] {
  const ends = [];
  for (let at = 0; at < body.length;) {
    const name = body.toString('latin1', at + 4, at + 8);
    at += body.readUInt32BE(at);
    if (at < body.length) ends.push({ end: at, name });
  }
  return ends;
}
