import { describe, expect, it } from '@jest/globals';
import { leadAfter, leadWhenFull, MIN_LEAD_MS } from '../../../policy/pacing/lead.ts';

/** The lead after many intents that took this long in turn. */
const leadOf = (tookMs: readonly number[], rounds = 200): number =>
  Array.from({ length: rounds }, () => tookMs)
    .flat()
    .reduce(leadAfter, MIN_LEAD_MS);

describe('how far ahead turns are granted', () => {
  it('is the least where records are quick', () => expect(leadOf([1, 3, 8, 12])).toBe(MIN_LEAD_MS));

  it('is as long as records take, and a little more', () => {
    expect(leadOf([70])).toBeGreaterThanOrEqual(70);
    expect(leadOf([70])).toBeLessThan(77);
  });

  it('does not follow one record in twenty that takes long', () => {
    expect(leadOf([...Array.from({ length: 19 }, () => 10), 200])).toBeLessThan(20);
  });

  it('ends at a quarter of a second, and falls again', () => {
    expect(leadOf([5_000])).toBe(250);
    expect(Array.from({ length: 1_000 }, () => 5).reduce(leadAfter, 250)).toBe(MIN_LEAD_MS);
  });

  it('is halved where requests in flight leave no room', () => {
    expect(leadWhenFull(100)).toBe(50);
    expect(leadWhenFull(MIN_LEAD_MS)).toBe(MIN_LEAD_MS);
  });
});
