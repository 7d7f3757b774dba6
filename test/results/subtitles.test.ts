import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSubtitles, toSrt, toVtt } from '../../results/subtitles.ts';

type Said = Parameters<typeof toSrt>[0][number];
const said = (start: number, end: number, text: string): Said => ({ start, end, text });

describe('toSrt', () => {
  it.each<[string, readonly Said[], string]>([
    [
      'numbers cues in order of time',
      [said(61.5, 3_661.25, 'second'), said(0, 1.2345, 'first')],
      '1\n00:00:00,000 --> 00:00:01,235\nfirst\n\n2\n00:01:01,500 --> 01:01:01,250\nsecond\n',
    ],
    [
      'cuts a cue where the next one begins',
      [said(0, 5, 'a'), said(2, 4, 'b')],
      '1\n00:00:00,000 --> 00:00:02,000\na\n\n2\n00:00:02,000 --> 00:00:04,000\nb\n',
    ],
    [
      'joins segments that begin together, losing no word',
      [said(1, 2, 'a'), said(1, 3, 'b')],
      '1\n00:00:01,000 --> 00:00:03,000\na\nb\n',
    ],
    [
      'shows a segment without a usable end for two seconds, or until the next',
      [said(1, 1, 'a'), said(2, 0, 'b'), said(9, Number.NaN, 'c')],
      '1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:02,000 --> 00:00:04,000\nb\n\n3\n00:00:09,000 --> 00:00:11,000\nc\n',
    ],
    [
      'leaves out segments without text, and blank lines within one',
      [said(0, 1, ' \n '), said(1, 2, 'x\r\n\r\n y ')],
      '1\n00:00:01,000 --> 00:00:02,000\nx\ny\n',
    ],
    ['leaves no arrow in a text', [said(0, 1, '1 --> 2')], '1\n00:00:00,000 --> 00:00:01,000\n1 → 2\n'],
    ['is empty without segments', [], ''],
  ])('%s', (_, segments, srt) => expect(toSrt(segments)).toBe(srt));

  it('joins segments of very many lines', () => {
    const lines = 'a\n'.repeat(200_000);
    const head = '1\n00:00:00,000 --> 00:00:01,000\n';
    expect(toSrt([said(0, 1, lines), said(0, 1, lines)])).toHaveLength(head.length + 800_000);
  });
});

describe('toVtt', () => {
  it('has its header, also without segments, dots in times and escaped texts', () => {
    const cue = '00:00:00.000 --> 00:00:01.000\n&lt;b&gt;Q&amp;A&lt;/b&gt; --&gt; end\n';
    expect(toVtt([said(-1, 1, '<b>Q&A</b> --> end')])).toBe(`WEBVTT\n\n${cue}`);
    expect(toVtt([])).toBe('WEBVTT\n');
  });

  it('never overlaps, never runs backwards, and has one arrow per cue', () => {
    const time = fc.double({ min: -5, max: 50_000, noNaN: true });
    const segment = fc.record({ start: time, end: time, text: fc.string({ unit: 'grapheme' }) });
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const text = toVtt(segments);
        const times = [...text.matchAll(/^(\d+):(\d\d):(\d\d)\.(\d{3}) --> (\d+):(\d\d):(\d\d)\.(\d{3})$/gmu)].map(
          (m) => m.slice(1).map(Number),
        );
        expect(text.split('-->').length - 1).toBe(times.length);
        let last = -1;
        for (const [h = 0, m = 0, s = 0, ms = 0, h2 = 0, m2 = 0, s2 = 0, ms2 = 0] of times) {
          const start = ((h * 60 + m) * 60 + s) * 1_000 + ms;
          const end = ((h2 * 60 + m2) * 60 + s2) * 1_000 + ms2;
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
      }),
    );
  });
});

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
