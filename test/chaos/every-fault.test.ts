import { describe, expect, it } from '@jest/globals';
import { parseFaultPlan } from '../../simulator/fault-plan.ts';
import { nameOfFault } from '../../simulator/statistics.ts';
import { drawEveryFault } from './every-fault.ts';

const namesOf = (seed: number): readonly string[] =>
  parseFaultPlan(drawEveryFault(seed, 300).plan).rules.map(({ on, fault }) => nameOfFault(on, fault));

describe('every fault', () => {
  it('is a plan that the simulator takes: each status at each point of a batch, and each fault of an answer', () => {
    const names = new Set(namesOf(1));
    const statuses = [400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504];
    const points = ['create', 'read', 'list', 'download', 'profile'];
    const missing = points.flatMap((on) => statuses.map((status) => `${on} status ${String(status)}`));
    expect(missing.filter((name) => !names.has(name))).toEqual([]);
    expect(names).toContain('create reset-after');
    expect(names).toContain('download wrong-type silence');
  });

  it('comes in the same order for the same seed, and in another for another', () => {
    expect(namesOf(1)).toEqual(namesOf(1));
    expect(namesOf(2)).not.toEqual(namesOf(1));
    expect(namesOf(2).toSorted()).toEqual(namesOf(1).toSorted());
  });

  it('counts what it can leave in doubt', () => {
    expect(drawEveryFault(1, 300).mostDoubtful).toBe(drawEveryFault(2, 30).mostDoubtful);
  });
});
