import { describe, expect, it } from '@jest/globals';
import { readTranscript } from '../../api/read-transcript.ts';

const LINES = [
  { start: 0, end: 1.5, text: 'Hello' },
  { start: 1.5, end: 3, text: 'world' },
];

/** Too short for milliseconds to be sure. */
const PAST_THE_END = [0, 5].map((start) => ({ start, end: start === 0 ? 100 : 1e9, text: 'x' }));

describe('readTranscript', () => {
  it('reads the documented answer', () => {
    const json = { text: 'Hello world', duration: 3, segments: LINES, credits_used: 3, quota_remaining: 7 };
    expect(readTranscript(json)).toEqual({ text: 'Hello world', segments: LINES });
  });

  it.each([
    ['startTime', 'endTime', 1],
    ['start_time', 'end_time', 1],
    ['begin', 'end', 1],
    ['start_ms', 'end_ms', 1000],
    ['start', 'end', 1000],
  ])('reads segments with %s and %s, times %d', (start, end, factor) => {
    const segments = LINES.map((line) => {
      return { [start]: line.start * factor, [end]: line.end * factor, text: ` ${line.text}` };
    });
    expect(readTranscript({ data: { text: 'x', duration: 3.2, segments } })?.segments).toEqual(LINES);
  });

  it('takes times as seconds where the duration is not known', () => {
    const segments = [{ start: 0, end: 4000, text: 'long' }];
    expect(readTranscript({ text: 'x', segments })?.segments).toEqual(segments);
  });

  it.each([
    [[{ text: 'no times' }]],
    [[...LINES, { start: 3, text: 'no end' }]],
    [[{ start: 2, end: 1, text: 'backwards' }]],
    [[{ start: -1, end: 1, text: 'negative' }]],
    [PAST_THE_END],
    ['none'],
    [undefined],
  ])('gives no segments for %j', (segments) => {
    expect(readTranscript({ text: 'x', duration: 3, segments })).toEqual({ text: 'x', segments: [] });
  });

  it('drops segments without words and joins the text where only segments have it', () => {
    const json = { result: { segments: [{ start: 9, text: ' ' }, ...LINES] } };
    expect(readTranscript(json)).toEqual({ text: 'Hello world', segments: LINES });
  });

  it('takes an empty text as silence, and no text as no transcription', () => {
    expect(readTranscript({ text: '', segments: [] })).toEqual({ text: '', segments: [] });
    expect(readTranscript({ segments: [] })).toBeUndefined();
    expect(readTranscript('text')).toBeUndefined();
  });
});
