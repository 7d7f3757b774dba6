import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FaultDrawer, type FaultTarget, parseFaultPlan } from '../../simulator/fault-plan.ts';
import { scaleRuns } from '../support/property-runs.ts';

const target: FaultTarget = { on: 'create', operation: 'speech-job', subject: 'a line of text' };

/** Which of n equal requests meet a fault. */
function hits(rule: Record<string, unknown>, n: number, seed = 1): number[] {
  const drawer = new FaultDrawer(parseFaultPlan({ rules: [{ on: 'create', fault: 'html', ...rule }] }), seed);
  return Array.from({ length: n }, (_, index) => index + 1).filter(() => drawer.next(target) !== null);
}

describe('FaultDrawer', () => {
  it.each([
    [{}, [1, 2, 3, 4, 5, 6]],
    [{ match: { nth: 2 } }, [2]],
    [{ match: { every: 3 } }, [3, 6]],
    [{ times: 2 }, [1, 2]],
    [{ match: { every: 2 }, times: 2 }, [2, 4]],
    [{ match: { share: 0 } }, []],
    [{ match: { share: 1 } }, [1, 2, 3, 4, 5, 6]],
    [{ match: { text: 'line' } }, [1, 2, 3, 4, 5, 6]],
    [{ match: { text: 'verse' } }, []],
    [{ operation: 'lip-sync-job' }, []],
    [{ on: 'read' }, []],
  ])('%j meets requests %j', (rule, expected) => expect(hits(rule, 6)).toEqual(expected));

  it('draws about the share it was told, the same for the same seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), (seed) => {
        const met = hits({ match: { share: 0.3 } }, 400, seed);
        expect(met).toEqual(hits({ match: { share: 0.3 } }, 400, seed));
        expect(Math.abs(met.length / 400 - 0.3)).toBeLessThan(0.15);
      }),
      { numRuns: scaleRuns(20) },
    );
  });

  it('lets the first rule act and still counts for the others', () => {
    const drawer = new FaultDrawer(
      parseFaultPlan({
        rules: [
          { on: 'create', match: { nth: 1 }, fault: 'html' },
          { on: 'create', match: { nth: 2 }, fault: 'cut' },
        ],
      }),
      1,
    );
    expect([1, 2, 3].map(() => drawer.next(target)?.kind)).toEqual(['html', 'cut', undefined]);
  });

  it('keeps faults of jobs from requests that make none', () => {
    const drawer = new FaultDrawer(parseFaultPlan({ rules: [{ on: 'create', fault: 'job-fails' }] }), 1);
    expect(drawer.next({ ...target, operation: 'transcription' })).toBeNull();
    expect(drawer.next(target)?.kind).toBe('job-fails');
  });
});

it.each([
  [{ rule: [] }, 'rule'],
  [{ rules: [{ on: 'create' }] }, 'fault'],
  [{ rules: [{ on: 'create', fault: 'explode' }] }, 'fault'],
  [{ rules: [{ on: 'create', fault: { kind: 'html', extra: 1 } }] }, 'extra'],
  [{ rules: [{ on: 'create', fault: { kind: 'status', status: 418 } }] }, 'status'],
  [{ rules: [{ on: 'create', match: { share: 2 }, fault: 'html' }] }, 'share'],
  [{ rules: [{ on: 'read', fault: 'reset-after' }] }, 'reset-after happens on create or delete only'],
  [
    { rules: [{ on: 'create', operation: 'speech-job', fault: { kind: 'hears', as: 'nothing' } }] },
    'hears on create happens to transcription only; got speech-job',
  ],
  [
    { rules: [{ on: 'create', operation: 'speech-job', fault: 'wrong-type' }] },
    'wrong-type on create happens to speech-sync only; got speech-job',
  ],
  [{ rules: [{ on: 'sometimes', fault: 'html' }] }, 'on'],
  [null, 'fault plan'],
])('parseFaultPlan refuses %j', (plan, named) => expect(() => parseFaultPlan(plan)).toThrow(named));
