import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Pacer, type PacerShare, type Slot } from '../../../policy/pacing/pacer.ts';

/** A stretch of time in which a process has the same share. */
interface Stretch {
  readonly rate: number;
  readonly mayCatchUp: boolean;
  readonly mayBunch: boolean;
  /** Nothing goes at its beginning for so long. */
  readonly pauseMs: number;
  readonly lastsMs: number;
}

/** What becomes of a slot. */
interface Fate {
  /** From the slot's being given to its call's being ready, ms. */
  readonly readyAfterMs: number;
  readonly isGivenBack: boolean;
}

interface Sent {
  readonly at: number;
  readonly rate: number;
}

const AHEAD_MS = 12;
const WIRES = 64;

/** Sends as fast as it may, with calls that are held up and overtake each other. */
function sentBy(stretches: readonly Stretch[], fates: readonly Fate[]): readonly Sent[] {
  const pacer = new Pacer(0.3);
  const open: { readonly slot: Slot; readonly rate: number; readonly isGivenBack: boolean; goesAt: number }[] = [];
  const sent: Sent[] = [];
  let [now, end, count] = [0, 0, 0];
  const departUntil = (time: number): void => {
    for (;;) {
      const next = open.reduce<(typeof open)[number] | undefined>(
        (first, one) => (first === undefined || one.goesAt < first.goesAt ? one : first),
        undefined,
      );
      if (next === undefined || next.goesAt > time) return;
      const wait = next.isGivenBack ? 0 : pacer.depart(next.slot, next.goesAt);
      next.goesAt += wait;
      if (wait > 0) continue;
      open.splice(open.indexOf(next), 1);
      if (next.isGivenBack) pacer.giveBack(next.slot);
      else sent.push({ at: next.goesAt, rate: next.rate });
    }
  };
  for (const { rate, mayCatchUp, mayBunch, pauseMs, lastsMs } of stretches) {
    const share: PacerShare = { rate, mayCatchUp, mayBunch, pausedUntil: now + pauseMs };
    end += lastsMs;
    while (now < end) {
      departUntil(now);
      const next = open.length < WIRES ? pacer.next(share, now, AHEAD_MS) : { notBefore: now + 5 };
      if ('notBefore' in next) {
        now = Math.max(now + 0.5, Math.min(next.notBefore, now + 20, end));
        continue;
      }
      const { readyAfterMs = 1, isGivenBack = false } = fates[count % fates.length] ?? {};
      count += 1;
      open.push({ slot: next, rate, isGivenBack, goesAt: Math.max(next.at, now + readyAfterMs) });
    }
  }
  departUntil(Infinity);
  return sent;
}

/** How many more there were in a trailing second than the highest rate of its calls allows. */
function mostTooMany(sent: readonly Sent[]): number {
  let [from, most] = [0, 0];
  for (const [index, { at }] of sent.entries()) {
    while (at - (sent[from]?.at ?? at) >= 1_000) from += 1;
    const together = sent.slice(from, index + 1);
    most = Math.max(most, together.length - Math.ceil(Math.max(...together.map(({ rate }) => rate)) - 1e-6));
  }
  return most;
}

const aRate = fc.oneof(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0.5, max: 500, noNaN: true }));
const aStretch = fc.record({
  rate: aRate,
  mayCatchUp: fc.boolean(),
  mayBunch: fc.boolean(),
  pauseMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(500)),
  lastsMs: fc.integer({ min: 50, max: 3_000 }),
});
const aFate = fc.record({
  readyAfterMs: fc.oneof(
    { weight: 20, arbitrary: fc.double({ min: 1, max: 8, noNaN: true }) },
    { weight: 1, arbitrary: fc.integer({ min: 8, max: 3_000 }) },
  ),
  isGivenBack: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
});

describe('a pacer, whatever happens', () => {
  it('lets no more calls go in any trailing second than the rate, however it changes and whatever is held up', () => {
    fc.assert(
      fc.property(
        fc.array(aStretch, { minLength: 1, maxLength: 6 }),
        fc.array(aFate, { minLength: 1, maxLength: 60 }),
        (stretches, fates) => {
          expect(mostTooMany(sentBy(stretches, fates))).toBe(0);
        },
      ),
      {
        numRuns: 200,
        examples: [
          // Calls of the quicker rate count after it has fallen and risen again.
          [
            [100, 1, 100].map((rate, index) => ({
              ...{ rate, mayCatchUp: true, mayBunch: true, pauseMs: 0 },
              lastsMs: [1_500, 50, 1_000][index] ?? 0,
            })),
            [{ readyAfterMs: 1, isGivenBack: false }],
          ],
        ],
      },
    );
  });

  it('uses 98 % of any rate by itself, a few ms late each time', () => {
    fc.assert(
      fc.property(aRate, fc.boolean(), fc.array(aFate, { minLength: 20, maxLength: 60 }), (rate, mayBunch, fates) => {
        const prompt = fates.map(({ readyAfterMs }) => ({
          readyAfterMs: Math.min(8, readyAfterMs),
          isGivenBack: false,
        }));
        const lastsMs = 10_000 + 10_000 / rate;
        const sent = sentBy([{ rate, mayCatchUp: true, mayBunch, pauseMs: 0, lastsMs }], prompt);
        expect(sent.length).toBeGreaterThanOrEqual(Math.floor((0.98 * rate * lastsMs) / 1_000));
      }),
      { numRuns: 50 },
    );
  });
});
