import { describe, expect, it } from '@jest/globals';
import { maySend, SEND_WITHIN_MS } from '../../../policy/pacing/send-deadline.ts';

const INTENT = { wall: 1_000_000, monotonic: 50_000 };
const after = (wall: number, monotonic = wall): { wall: number; monotonic: number } => ({
  wall: INTENT.wall + wall,
  monotonic: INTENT.monotonic + monotonic,
});

describe('maySend', () => {
  it('allows the usual few milliseconds', () => {
    expect(maySend(INTENT, after(3))).toBe(true);
    expect(maySend(INTENT, after(SEND_WITHIN_MS))).toBe(true);
  });

  it.each([
    ['the process stood still', after(SEND_WITHIN_MS + 1)],
    ['the laptop slept and the monotonic clock with it', after(60_000, 2)],
    ['the wall clock was set back', after(-3_600_000, SEND_WITHIN_MS + 1)],
    ['the wall clock was set back by itself', after(-3_600_000, 2)],
    ['the wall clock was set forward', after(3_600_000, 2)],
  ])('forbids when %s', (_, now) => {
    expect(maySend(INTENT, now)).toBe(false);
  });
});
