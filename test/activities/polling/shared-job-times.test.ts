import { describe, expect, it } from '@jest/globals';
import { SharedJobTimes, type JobTimesNeeds } from '../../../activities/polling/shared-job-times.ts';
import type { LimiterAnswer, LimiterStep } from '../../../policy/pacing/limiter-step.ts';
import { limiterInMemory } from '../pacing/limiter-in-memory.ts';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A ledger that several processes share, and how often it was asked. */
function worldOf(): JobTimesNeeds & { asked: number; now: number } {
  const updateLimiter = limiterInMemory();
  const world = {
    asked: 0,
    now: 0,
    realm: { apiUrl: 'http://api', account: 'u1' },
    clock: { now: () => ({ monotonic: world.now }) },
    ledger: {
      updateLimiter: <Step extends LimiterStep>(scope: string, step: Step): Promise<LimiterAnswer<Step>> => {
        world.asked += 1;
        return updateLimiter(scope, step);
      },
    },
  };
  return world;
}

/** Jobs that take a minute, give or take half a second. */
function see(memory: SharedJobTimes, world: JobTimesNeeds, jobs: number): void {
  for (let job = 0; job < jobs; job++)
    memory.add(world, 'speech-job', [59_000 + (job % 10) * 100, 60_000 + (job % 10) * 100]);
}

describe('the memory of job times', () => {
  it('knows nothing at first, and what all processes have seen afterwards', async () => {
    const world = worldOf();
    const one = new SharedJobTimes();
    expect([one.earlyJobMs(world, 'speech-job'), one.longestJobMs(world, 'speech-job')]).toEqual([0, undefined]);
    await soon();
    see(one, world, 60);
    // Not shared yet: of a small batch that may be all there is.
    expect(one.longestJobMs(world, 'speech-job')).toBeGreaterThan(59_000);
    await soon();
    see(one, world, 60);
    await soon();
    const two = new SharedJobTimes();
    two.earlyJobMs(world, 'speech-job');
    await soon();
    for (const memory of [one, two]) expect(memory.earlyJobMs(world, 'speech-job')).toBeGreaterThan(50_000);
    expect(two.earlyJobMs(world, 'lip-sync-job')).toBe(0);
  });

  it('asks the ledger rarely, however many jobs end', async () => {
    const world = worldOf();
    const memory = new SharedJobTimes();
    for (let job = 0; job < 4_000; job++) {
      see(memory, world, 1);
      await soon();
    }
    expect(world.asked).toBeLessThan(80);
    world.now = 5_000;
    see(memory, world, 1);
    expect(world.asked).toBeLessThan(82);
  });

  it('does without a ledger that cannot be asked', async () => {
    const world: JobTimesNeeds = { ...worldOf(), ledger: { updateLimiter: () => Promise.reject(new Error('gone')) } };
    const memory = new SharedJobTimes();
    see(memory, world, 100);
    await soon();
    expect(memory.earlyJobMs(world, 'speech-job')).toBe(0);
  });
});
