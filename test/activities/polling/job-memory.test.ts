import { describe, expect, it } from '@jest/globals';
import { JobMemory, type MemoryNeeds } from '../../../activities/polling/job-memory.ts';
import { takeStep, type LimiterAnswer, type LimiterStep } from '../../../policy/pacing/limiter-step.ts';

const PLAN = { firstLookMs: 5_000, pollGapMs: 5_000 };
const SORT = ['speech-job narrator ', 'speech-job'];
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A ledger that several processes share, and how often it was asked. */
function worldOf(): MemoryNeeds & { asked: number; now: number } {
  const states = new Map<string, unknown>();
  const world = {
    asked: 0,
    now: 0,
    realm: { apiUrl: 'http://api', account: 'u1' },
    clock: { now: () => ({ monotonic: world.now }) },
    ledger: {
      updateLimiter: <Step extends LimiterStep>(scope: string, step: Step): Promise<LimiterAnswer<Step>> => {
        world.asked += 1;
        const { state, result } = takeStep(states.get(scope), step);
        states.set(scope, state);
        return Promise.resolve(result as LimiterAnswer<Step>);
      },
    },
  };
  return world;
}

/** Jobs that take a minute, give or take half a second. */
function see(memory: JobMemory, world: MemoryNeeds, jobs: number): void {
  for (let job = 0; job < jobs; job++)
    memory.ended(world, SORT, [59_000 + (job % 10) * 100, 60_000 + (job % 10) * 100]);
}

describe('the memory of job times', () => {
  it('knows nothing at first, and what all processes have seen afterwards', async () => {
    const world = worldOf();
    const one = new JobMemory();
    expect(one.agesOf(world, SORT, PLAN)).toBeNull();
    await soon();
    see(one, world, 60);
    await soon();
    see(one, world, 60);
    await soon();
    const ages = one.agesOf(world, SORT, PLAN);
    expect(ages?.[0]).toBeGreaterThan(10_000);
    const two = new JobMemory();
    two.agesOf(world, SORT, PLAN);
    await soon();
    expect(two.agesOf(world, SORT, PLAN)?.length).toBeGreaterThan(0);
    expect(two.agesOf(world, ['lip-sync-job'], PLAN)).toBeNull();
  });

  it('says how long nearly all jobs take, and twice that while it knows few', async () => {
    const world = worldOf();
    const memory = new JobMemory();
    expect(memory.longestOf(world, SORT)).toBeUndefined();
    await soon();
    // Not shared yet: of a small batch that may be all there is.
    see(memory, world, 1);
    expect(world.asked).toBe(2);
    expect(memory.longestOf(world, SORT)).toBeGreaterThan(115_000);
    see(memory, world, 28);
    await soon();
    expect(memory.longestOf(world, SORT)).toBeGreaterThan(115_000);
    see(memory, world, 1);
    const known = memory.longestOf(world, SORT);
    expect(known).toBeGreaterThan(58_000);
    expect(known).toBeLessThan(65_000);
  });

  it('goes by all voices until one is known well', async () => {
    const world = worldOf();
    const memory = new JobMemory();
    const other = ['speech-job other ', 'speech-job'];
    const learn = async (sorts: string[], jobs: number, ms: number): Promise<void> => {
      for (let job = 0; job < jobs; job++) {
        memory.ended(world, sorts, [ms, ms + 100]);
        await soon();
      }
    };
    await learn(other, 400, 60_000);
    expect(memory.agesOf(world, SORT, PLAN)).toEqual(memory.agesOf(world, ['speech-job'], PLAN));
    await learn(SORT, 400, 20_000);
    expect(memory.agesOf(world, SORT, PLAN)?.at(-1)).toBeLessThan(30_000);
    expect(memory.agesOf(world, other, PLAN)?.at(-1)).toBeGreaterThan(50_000);
  });

  it('asks the ledger rarely, however many jobs end', async () => {
    const world = worldOf();
    const memory = new JobMemory();
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
    const world: MemoryNeeds = { ...worldOf(), ledger: { updateLimiter: () => Promise.reject(new Error('gone')) } };
    const memory = new JobMemory();
    see(memory, world, 100);
    await soon();
    expect(memory.agesOf(world, SORT, PLAN)).toBeNull();
  });
});
