import { describe, expect, it } from '@jest/globals';
import { sniff } from '../../store/sniff.ts';
import type { Expectation } from '../../store/store.ts';
import { adts, ebml, ftyp, id3, mp3, silentMp3, wav } from './media.ts';
import { UnfitBody } from '../../store/unfit.ts';

const OCTETS = { contentType: 'application/octet-stream' };
const UNKNOWN = 'of no known kind';

describe('sniff', () => {
  it.each([
    ['mp3', mp3()],
    ['mp3', id3(mp3())],
    ['wav', wav()],
    ['ogg', Buffer.from('OggS\0\0')],
    ['flac', Buffer.from('fLaC\0\0')],
    ['m4a', ftyp('M4A ')],
    ['aac', adts()],
    ['aac', id3(adts())],
    ['mp4', ftyp('mp42')],
    ['webm', ebml('webm')],
  ])('knows %s as audio', (extension, body) => expect(sniff(body, { family: 'audio' })).toEqual({ extension }));

  it.each([
    ['mp4', ftyp()],
    ['mov', ftyp('qt  ')],
    ['webm', ebml('webm')],
    ['mkv', ebml('matroska')],
  ])('knows %s as video', (extension, body) => expect(sniff(body, { family: 'video' })).toEqual({ extension }));

  it.each([
    ['an HTML page', '\n <!DOCTYPE html><p>Sorry'],
    ['an HTML page', '<html>'],
    ['XML', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'],
    ['XML', '<Error>expired</Error>'],
    ['JSON', '{"error":"expired"}'],
    ['JSON', ' [1]'],
    ['plain text', 'upstream connect error'],
    ['plain text', 'Link abgelaufen: ungültig'],
    ['empty', ''],
  ])('takes %s for neither audio nor video', (words, text) => {
    for (const family of ['audio', 'video'] as const) {
      expect(() => sniff(Buffer.from(text), { family })).toThrow(UnfitBody);
      expect(() => sniff(Buffer.from(text), { family })).toThrow(words);
    }
  });

  it('keeps a sound that was to be a video, and bytes of no known kind', () => {
    const unfit = 'sound rather than a video';
    expect(sniff(wav(), { family: 'video' })).toEqual({ extension: 'wav', unfit });
    expect(sniff(wav().subarray(44), { family: 'video', contentType: 'audio/pcm' })).toEqual({
      extension: 'pcm',
      unfit,
    });
    for (const family of ['audio', 'video'] as const) {
      const unknown = { extension: 'bin', unfit: UNKNOWN };
      expect(sniff(Buffer.from([0, 1, 2, 3]), { family })).toEqual(unknown);
      expect(sniff(Buffer.alloc(100), { family, ...OCTETS })).toEqual(unknown);
      expect(() => sniff(Buffer.alloc(100), { family, contentType: 'application/json' })).toThrow(
        'declared as application/json',
      );
    }
  });

  const RAW = Buffer.from([0, 1, 0xff, 0xfe, 2, 0, 0x90, 3]);
  /** It begins like a frame of MP3, and no second one follows. */
  const LIKE_FRAME = Buffer.concat([silentMp3(1), Buffer.alloc(600, 0x12)]);
  const PCM = { contentType: 'audio/pcm' };
  it.each<[string, Buffer, Omit<Expectation, 'family'>, object]>([
    ['raw audio by its declared type', RAW, { contentType: 'audio/L16; rate=16000' }, { extension: 'pcm' }],
    ['raw audio by what was asked for', RAW, { ...OCTETS, format: 'pcm' }, { extension: 'pcm' }],
    ['no raw audio where another was asked for', RAW, { format: 'mp3' }, { extension: 'bin', unfit: UNKNOWN }],
    ['silence of -1 samples as raw audio', Buffer.alloc(100, 0xff), PCM, { extension: 'pcm' }],
    ['raw audio that begins like a frame', LIKE_FRAME, PCM, { extension: 'pcm' }],
    ['the same declared as MP3', LIKE_FRAME, { contentType: 'audio/mpeg' }, { extension: 'mp3' }],
    ['the same declared as nothing', LIKE_FRAME, {}, { extension: 'mp3' }],
    ['two frames of MP3, whatever was declared', silentMp3(2), PCM, { extension: 'mp3' }],
    ['two frames of AAC, whatever was declared', adts(2), PCM, { extension: 'aac' }],
  ])('names %s', (_, body, declared, named) => expect(sniff(body, { family: 'audio', ...declared })).toEqual(named));

  it('takes any text as the text that it is said to be, also none at all', () => {
    expect(sniff(Buffer.from('{"even": "this"}'), { family: 'text' })).toEqual({ extension: 'txt' });
    expect(sniff(Buffer.alloc(0), { family: 'text', extension: 'srt' })).toEqual({ extension: 'srt' });
  });
});
