import { describe, expect, it } from '@jest/globals';
import { sniff } from '../../store/sniff.ts';
import { adts, ebml, ftyp, id3, mp3, silentMp3, wav } from './media.ts';
import { UnfitBody } from '../../store/unfit.ts';

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
  ])('knows %s as audio', (extension, body) => {
    expect(sniff(body, { family: 'audio' })).toEqual({ extension });
  });

  it.each([
    ['mp4', ftyp()],
    ['mov', ftyp('qt  ')],
    ['webm', ebml('webm')],
    ['mkv', ebml('matroska')],
  ])('knows %s as video', (extension, body) => {
    expect(sniff(body, { family: 'video' })).toEqual({ extension });
  });

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
    const sound = { extension: 'wav', unfit: 'sound rather than a video' };
    expect(sniff(wav(), { family: 'video' })).toEqual(sound);
    for (const family of ['audio', 'video'] as const) {
      const unknown = { extension: 'bin', unfit: 'of no known kind' };
      expect(sniff(Buffer.from([0, 1, 2, 3]), { family })).toEqual(unknown);
      expect(sniff(Buffer.alloc(100), { family, contentType: 'application/octet-stream' })).toEqual(unknown);
      expect(() => sniff(Buffer.alloc(100), { family, contentType: 'application/json' })).toThrow(
        'declared as application/json',
      );
    }
  });

  it('names raw audio by its declared type, or by what was asked for', () => {
    const raw = Buffer.from([0, 1, 0xff, 0xfe, 2, 0, 0x90, 3]);
    expect(sniff(raw, { family: 'audio', contentType: 'audio/L16; rate=16000' })).toEqual({ extension: 'pcm' });
    expect(sniff(raw, { family: 'audio', contentType: 'application/octet-stream', format: 'pcm' })).toEqual({
      extension: 'pcm',
    });
    expect(sniff(raw, { family: 'audio', format: 'mp3' })).toMatchObject({ extension: 'bin' });
    expect(sniff(raw, { family: 'video', contentType: 'audio/pcm' })).toEqual({
      extension: 'pcm',
      unfit: 'sound rather than a video',
    });
  });

  it('takes silence of -1 samples for raw audio, not for mp3', () => {
    expect(sniff(Buffer.alloc(100, 0xff), { family: 'audio', contentType: 'audio/pcm' })).toEqual({ extension: 'pcm' });
  });

  it('takes raw audio that begins like a frame for what it is declared, unless a second frame follows', () => {
    const raw = Buffer.concat([silentMp3(1), Buffer.alloc(600, 0x12)]);
    expect(sniff(raw, { family: 'audio', contentType: 'audio/pcm' })).toEqual({ extension: 'pcm' });
    expect(sniff(raw, { family: 'audio', contentType: 'audio/mpeg' })).toEqual({ extension: 'mp3' });
    expect(sniff(raw, { family: 'audio' })).toEqual({ extension: 'mp3' });
    expect(sniff(silentMp3(2), { family: 'audio', contentType: 'audio/pcm' })).toEqual({ extension: 'mp3' });
    expect(sniff(adts(2), { family: 'audio', contentType: 'audio/pcm' })).toEqual({ extension: 'aac' });
  });

  it('takes any text as the text that it is said to be, also none at all', () => {
    expect(sniff(Buffer.from('{"even": "this"}'), { family: 'text' })).toEqual({ extension: 'txt' });
    expect(sniff(Buffer.alloc(0), { family: 'text', extension: 'srt' })).toEqual({ extension: 'srt' });
  });
});
