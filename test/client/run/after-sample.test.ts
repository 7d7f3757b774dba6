import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EXIT_CODES, type ExitName } from '../../../contract/exit-codes.ts';
import { decideAfterSample } from '../../../client/run/after-sample.ts';

const exits = Object.keys(EXIT_CODES) as ExitName[];
const ends = fc.record({
  exit: fc.constantFrom(...exits),
  left: fc.nat({ max: 3 }),
  yes: fc.boolean(),
  canAsk: fc.boolean(),
});

describe('after a sample', () => {
  it('a person is asked; without one, only --yes sends the others', () => {
    const end = { exit: 'complete', left: 95, yes: false, canAsk: true } as const;
    expect(decideAfterSample(end)).toEqual({ type: 'ask' });
    expect(decideAfterSample({ ...end, canAsk: false })).toEqual({ type: 'stop', why: 'nobody' });
    expect(decideAfterSample({ ...end, canAsk: false, yes: true })).toEqual({ type: 'go' });
    expect(decideAfterSample({ ...end, left: 0 })).toEqual({ type: 'stop', why: 'nothing-left' });
  });

  it('with failures, --yes is not enough, but a person may still agree', () => {
    const end = { exit: 'failures', left: 95, canAsk: true } as const;
    expect(decideAfterSample({ ...end, yes: true })).toEqual({ type: 'stop', why: 'not-clean' });
    expect(decideAfterSample({ ...end, yes: false })).toEqual({ type: 'ask' });
  });

  it('nothing is ever sent without a yes, and nobody is asked who cannot answer', () => {
    fc.assert(
      fc.property(ends, (end) => {
        const { type } = decideAfterSample(end);
        if (type === 'go') expect(end.yes && end.exit === 'complete' && end.left > 0).toBe(true);
        if (type === 'ask') expect(end.canAsk && !end.yes && end.left > 0).toBe(true);
      }),
    );
  });
});
