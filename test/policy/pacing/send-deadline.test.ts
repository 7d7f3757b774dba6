import { describe, expect, it } from '@jest/globals';
import { maySend, SEND_WITHIN_MS, type Instant } from '../../../policy/pacing/send-deadline.ts';

const INTENT = { wall: 1_000_000, host: 1_000_000, monotonic: 50_000 };
const after = (host: number, monotonic = host, wall = host): Instant => ({
  wall: INTENT.wall + wall,
  host: INTENT.host + host,
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
    ['the laptop slept, and the clock of a ledger over the network does not know it yet', after(600_000, 5, 5)],
    ['the wall clock was set back', after(-3_600_000, SEND_WITHIN_MS + 1)],
    ['the wall clock was set back by itself', after(-3_600_000, 2)],
    ['the wall clock was set forward', after(3_600_000, 2)],
  ])('forbids when %s', (_, now) => expect(maySend(INTENT, now)).toBe(false));
});
