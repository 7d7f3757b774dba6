import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LONGEST_TRAINING_MS, nextForVoice, type VoiceSeen } from '../../policy/awaited-voice.ts';

const seen = fc.constantFrom<VoiceSeen[]>('training', 'ready', 'unlisted', 'unread');
const waited = fc.integer({ min: 0, max: 3 * LONGEST_TRAINING_MS });

describe('nextForVoice', () => {
  it.each<[VoiceSeen, number, unknown]>([
    ['ready', 0, { type: 'use' }],
    ['unlisted', 0, { type: 'use' }],
    ['ready', 2 * LONGEST_TRAINING_MS, { type: 'use' }],
    ['training', 0, { type: 'look-again', pauseMs: 2_000 }],
    ['training', 60_000, { type: 'look-again', pauseMs: 6_000 }],
    ['training', 30 * 60_000, { type: 'look-again', pauseMs: 30_000 }],
    ['training', LONGEST_TRAINING_MS, { type: 'give-up' }],
    ['unread', 59_999, { type: 'look-again', pauseMs: 6_000 }],
    ['unread', 60_000, { type: 'use' }],
  ])('%s after %d ms', (what, waitedMs, next) => {
    expect(nextForVoice(what, waitedMs)).toEqual(next);
  });

  it('uses a voice only if nothing says that it is in training', () => {
    fc.assert(
      fc.property(waited, (waitedMs) => {
        expect(nextForVoice('training', waitedMs).type).not.toBe('use');
      }),
    );
  });

  it('comes to an end, whatever it sees, within a number of looks that is known', () => {
    fc.assert(
      fc.property(fc.infiniteStream(seen), (looks) => {
        let waitedMs = 0;
        let count = 0;
        for (const what of looks) {
          const next = nextForVoice(what, waitedMs);
          if (next.type !== 'look-again') break;
          expect(next.pauseMs).toBeGreaterThan(0);
          waitedMs += next.pauseMs;
          count += 1;
        }
        expect(waitedMs).toBeLessThan(LONGEST_TRAINING_MS + 30_001);
        expect(count).toBeLessThan(200);
      }),
    );
  });
});
