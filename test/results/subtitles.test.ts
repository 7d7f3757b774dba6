import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toSrt, toVtt } from '../../results/subtitles.ts';

const said = (start: number, end: number, text: string): { start: number; end: number; text: string } => ({
  start,
  end,
  text,
});

describe('toSrt', () => {
  it('numbers cues in order of time', () => {
    expect(toSrt([said(61.5, 3_661.25, 'second'), said(0, 1.2345, 'first')])).toBe(
      '1\n00:00:00,000 --> 00:00:01,235\nfirst\n\n2\n00:01:01,500 --> 01:01:01,250\nsecond\n',
    );
  });

  it('cuts a cue where the next one begins', () => {
    expect(toSrt([said(0, 5, 'a'), said(2, 4, 'b')])).toContain('00:00:00,000 --> 00:00:02,000\na');
  });

  it('joins segments of very many lines', () => {
    const lines = 'a\n'.repeat(200_000);
    expect(toSrt([said(0, 1, lines), said(0, 1, lines)])).toHaveLength(
      '1\n00:00:00,000 --> 00:00:01,000\n'.length + 800_000,
    );
  });

  it('joins segments that begin together, losing no word', () => {
    expect(toSrt([said(1, 2, 'a'), said(1, 3, 'b')])).toBe('1\n00:00:01,000 --> 00:00:03,000\na\nb\n');
  });

  it('shows a segment without a usable end for two seconds, or until the next', () => {
    expect(toSrt([said(1, 1, 'a'), said(2, 0, 'b'), said(9, Number.NaN, 'c')])).toBe(
      '1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:02,000 --> 00:00:04,000\nb\n\n3\n00:00:09,000 --> 00:00:11,000\nc\n',
    );
  });

  it('leaves out segments without text, and blank lines within one', () => {
    expect(toSrt([said(0, 1, ' \n '), said(1, 2, 'x\r\n\r\n y ')])).toBe('1\n00:00:01,000 --> 00:00:02,000\nx\ny\n');
  });

  it('leaves no arrow in a text', () => {
    expect(toSrt([said(0, 1, '1 --> 2')])).toContain('\n1 → 2\n');
  });

  it('is empty without segments', () => {
    expect(toSrt([])).toBe('');
  });
});

describe('toVtt', () => {
  it('has its header, dots in times and escaped texts', () => {
    expect(toVtt([said(-1, 1, '<b>Q&A</b> --> end')])).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n&lt;b&gt;Q&amp;A&lt;/b&gt; --&gt; end\n',
    );
  });

  it('is a bare header without segments', () => {
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
