import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSubtitles, toSrt, toVtt } from '../../results/subtitles.ts';

const AWKWARD = [
  { start: 0.5, end: 1.25, text: 'Two\nlines & <b>more</b>' },
  { start: 3_600.001, end: 3_601, text: '&amp; 12:00 &lt;' },
];

describe('subtitles that are read', () => {
  it('become the same subtitles again', () => {
    expect(readSubtitles(toVtt(AWKWARD), 'vtt')).toEqual(AWKWARD);
    expect(readSubtitles(toSrt(AWKWARD), 'srt')).toEqual(AWKWARD);
  });

  it('become the other form, unless that says more', () => {
    expect(toSrt(readSubtitles(toVtt(AWKWARD), 'vtt'))).toBe(toSrt(AWKWARD));
    expect(toVtt(readSubtitles(toSrt(AWKWARD), 'srt'))).toBe(toVtt(AWKWARD));
    const arrow = [{ start: 1, end: 2, text: 'a --> b' }];
    expect(toSrt(readSubtitles(toVtt(arrow), 'vtt'))).toBe(toSrt(arrow));
    expect(toVtt(readSubtitles(toSrt(arrow), 'srt'))).not.toBe(toVtt(arrow));
  });

  it('are those of any segments', () => {
    const times = fc.integer({ min: 0, max: 9_999_999 }).map((ms) => ms / 1_000);
    const segment = fc.record({ start: times, end: times, text: fc.string() });
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        expect(toSrt(readSubtitles(toVtt(segments), 'vtt'))).toBe(toSrt(segments));
      }),
    );
  });

  it('are none in another text', () => {
    expect(readSubtitles('WEBVTT\n', 'vtt')).toEqual([]);
    expect(readSubtitles('xxxx', 'srt')).toEqual([]);
  });
});
