import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_PRICES, type RowSpec, type Step } from '../../../contract/row-kinds.ts';
import { quoteSteps } from '../../../policy/money/pricing.ts';
import { stepsToPay } from '../../../policy/plan/reason-groups.ts';

const CHAIN: readonly Step[] = ['speech', 'lip-sync'];
const toPay = (...there: readonly Step[]): readonly Step[] => stepsToPay(CHAIN, (step) => there.includes(step));

describe('the steps whose results must be paid for', () => {
  it('are none where the last result is there, whatever came before it', () => {
    expect(toPay('lip-sync')).toEqual([]);
    expect(toPay('speech', 'lip-sync')).toEqual([]);
    expect(stepsToPay([], () => false)).toEqual([]);
  });

  it('begin with the first that is not there', () => {
    expect(toPay()).toEqual(CHAIN);
    expect(toPay('speech')).toEqual(['lip-sync']);
  });

  it('cost the sum of their prices, or nobody knows what', () => {
    const spec: RowSpec = { kind: 'dub', text: 'Hello', voice: 'v', video: 'https://cdn.example/v.mp4', extra: {} };
    const price = { prices: BUILT_IN_PRICES, tts: 'job' as const };
    expect(quoteSteps([], spec, price)).toBe(0);
    expect(quoteSteps(['speech'], spec, price)).toBe(3);
    expect(quoteSteps(CHAIN, spec, price)).toBeNull();
    expect(quoteSteps(CHAIN, { ...spec, duration: 4 }, price)).toBe(7);
  });
});
