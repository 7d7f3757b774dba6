import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  afterEnd,
  ENOUGH_HINTS,
  needsProbe,
  NEW_TRUST,
  NO_PROBES,
  POLLS_A_JOB,
  canSkipPolls,
  type HintTrust,
  type Probes,
} from '../../../policy/webhooks/hint-trust.ts';

const ends = fc.array(fc.constantFrom('hinted' as const, 'missed' as const), { maxLength: 60 });
const after = (list: readonly ('hinted' | 'missed')[]): HintTrust => list.reduce(afterEnd, NEW_TRUST);

describe('trust in webhooks', () => {
  it('begins as a trial, which spares polls', () => expect(canSkipPolls(NEW_TRUST)).toBe(true));

  it('falls at once when a job had ended without one, whatever came before', () => {
    fc.assert(
      fc.property(ends, (list) => {
        expect(canSkipPolls(after([...list, 'missed']))).toBe(false);
      }),
    );
  });

  it('comes back when enough came in a row, and not before', () => {
    fc.assert(
      fc.property(ends, fc.nat({ max: 2 * ENOUGH_HINTS }), (list, hinted) => {
        const { state } = after([...list, 'missed', ...new Array<'hinted'>(hinted).fill('hinted')]);
        expect(state).toBe(hinted >= ENOUGH_HINTS ? 'trusted' : 'doubted');
      }),
    );
  });

  it('depends on nothing but the last ends: its state stays small', () => {
    fc.assert(
      fc.property(ends, (list) => {
        const { streak } = after(list);
        expect(streak).toBeGreaterThanOrEqual(0);
        expect(streak).toBeLessThanOrEqual(ENOUGH_HINTS);
      }),
    );
  });
});

/** Jobs come one by one, each probe is polled `polls` times and then ends, after some more jobs have come. */
function play(jobs: number, polls: number, lag: number, state: 'trial' | 'trusted'): Probes {
  let probes = NO_PROBES;
  const ending: number[] = [];
  for (let job = 1; job <= jobs; job++) {
    probes = { ...probes, jobs: job };
    while ((ending[0] ?? Infinity) <= job) {
      ending.shift();
      probes = { ...probes, running: probes.running - 1, over: probes.over + 1, polls: probes.polls + polls };
    }
    if (!needsProbe(probes, state)) continue;
    probes = { ...probes, running: probes.running + 1 };
    ending.push(job + lag);
  }
  return probes;
}

describe('probes', () => {
  it('there is always one while nothing is known', () => {
    expect(needsProbe({ ...NO_PROBES, jobs: 1 }, 'trial')).toBe(true);
    expect(needsProbe({ ...NO_PROBES, jobs: 1, running: 1 }, 'trial')).toBe(false);
    expect(needsProbe({ jobs: 1, running: 0, over: 9, polls: 900 }, 'trial')).toBe(true);
    expect(needsProbe({ jobs: 1, running: 0, over: 9, polls: 900 }, 'trusted')).toBe(false);
  });

  it('cost a tenth of a poll per job, however long they run, once webhooks are trusted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fc.nat(40), fc.nat(200), (jobs, polls, lag) => {
        const { polls: spent } = play(jobs, polls, lag, 'trusted');
        // Those that ran before their cost was known may exceed it once.
        expect(spent).toBeLessThanOrEqual(POLLS_A_JOB * jobs + (polls * (lag + 1)) / 20 + polls);
      }),
    );
  });

  it('do not run out: among many jobs there is one again and again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.nat({ max: 50 }), (polls, lag) => {
        expect(play(2_000, polls, lag, 'trusted').over).toBeGreaterThan(5);
      }),
    );
  });
});
