import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  nextForVoice,
  watchAfter,
  type VoiceNext,
  type VoiceSeen,
  type VoiceWatch,
} from '../../../policy/voices/awaited-voice.ts';
import { MAX_TRAINING_MS } from '../../../policy/voices/unready-voice.ts';

const NEW: VoiceWatch = { watchedMs: 0, silentMs: 0, wasRead: false };
const MINUTE = 60_000;

const seen = fc.constantFrom<VoiceSeen[]>('training', 'ready', 'unlisted', 'unread');
/** What is seen, and how long after the look before: minutes, days, or an earlier time by a clock that was set back. */
const look = fc.tuple(seen, fc.oneof(fc.integer({ min: 0, max: 2 * MINUTE }), fc.integer({ min: -MINUTE, max: 1e9 })));

/** Looks at a voice, each so long after the one before, until its rows go on. */
function story(looks: Iterable<readonly [VoiceSeen, number]>, watch = NEW): readonly VoiceNext[] {
  const told: VoiceNext[] = [];
  let now = watch;
  for (const [what, passedMs] of looks) {
    now = watchAfter(now, what, passedMs);
    const next = nextForVoice(what, now, false);
    told.push(next);
    if (next.type !== 'look-again') break;
  }
  return told;
}

describe('nextForVoice', () => {
  it.each<[VoiceSeen, Partial<VoiceWatch>, unknown]>([
    ['ready', {}, { type: 'use' }],
    ['unlisted', {}, { type: 'use' }],
    ['ready', { watchedMs: 2 * MAX_TRAINING_MS }, { type: 'use' }],
    ['training', {}, { type: 'look-again', pauseMs: 2_000 }],
    ['training', { watchedMs: MINUTE }, { type: 'look-again', pauseMs: 6_000 }],
    ['training', { watchedMs: 30 * MINUTE }, { type: 'look-again', pauseMs: 30_000 }],
    ['training', { watchedMs: MAX_TRAINING_MS }, { type: 'give-up' }],
    ['unread', { watchedMs: MINUTE, silentMs: MINUTE - 1 }, { type: 'look-again', pauseMs: 6_000 }],
    ['unread', { watchedMs: MINUTE, silentMs: MINUTE }, { type: 'use' }],
    ['unread', { watchedMs: MINUTE, silentMs: MINUTE, wasRead: true }, { type: 'look-again', pauseMs: 6_000 }],
  ])('%s with %j', (what, watch, next) => expect(nextForVoice(what, { ...NEW, ...watch }, false)).toEqual(next));

  it.each<[VoiceSeen, Partial<VoiceWatch>, unknown]>([
    ['ready', {}, { type: 'try', pauseMs: 2_000 }],
    ['unlisted', { watchedMs: MINUTE }, { type: 'try', pauseMs: 6_000 }],
    ['unread', { watchedMs: MINUTE, silentMs: MINUTE }, { type: 'try', pauseMs: 6_000 }],
    ['training', { watchedMs: MINUTE }, { type: 'look-again', pauseMs: 6_000 }],
    ['ready', { watchedMs: MAX_TRAINING_MS }, { type: 'give-up' }],
  ])('%s with %j, of a voice that was refused: a row tries it, unless it is in training', (what, watch, next) => {
    expect(nextForVoice(what, { ...NEW, ...watch }, true)).toEqual(next);
  });

  it('does not count time in which nobody looked: a batch that was paused for a day, a laptop that slept', () => {
    const [DAY, SECOND] = [24 * 60 * MINUTE, 1_000];
    const [first, ...later] = [
      ['training', SECOND],
      ['training', DAY],
      ['unread', DAY],
    ] as const;
    for (const looks of [[later[0]], [first, ...later]])
      expect(story(looks).at(-1)).toMatchObject({ type: 'look-again' });
  });

  it('uses a voice of which nobody knows anything only after a minute of failed looks', () => {
    expect(story(Array.from({ length: 100 }, () => ['unread', 10_000] as const))).toHaveLength(6);
  });

  it('uses a voice only if nothing says that it is in training', () => {
    fc.assert(
      fc.property(fc.array(look), (looks) => {
        let watch = NEW;
        let last: VoiceSeen | undefined;
        for (const [what, passedMs] of looks) {
          watch = watchAfter(watch, what, passedMs);
          if (what !== 'unread') last = what;
          if (last === 'training') expect(nextForVoice(what, watch, false).type).not.toBe('use');
        }
      }),
    );
  });

  it('comes to an end, whatever it sees, within a number of looks that is known', () => {
    fc.assert(
      fc.property(fc.infiniteStream(seen), fc.boolean(), (looks, wasRefused) => {
        let watch = NEW;
        let count = 0;
        let passedMs = 0;
        for (const what of looks) {
          watch = watchAfter(watch, what, passedMs);
          const next = nextForVoice(what, watch, wasRefused);
          if (next.type === 'use' || next.type === 'give-up') break;
          expect(next.pauseMs).toBeGreaterThan(0);
          passedMs = next.pauseMs;
          count += 1;
        }
        expect(watch.watchedMs).toBeLessThan(MAX_TRAINING_MS + 30_001);
        expect(count).toBeLessThan(200);
      }),
    );
  });
});
