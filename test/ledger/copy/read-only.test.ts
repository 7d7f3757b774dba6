import { describe, expect, it } from '@jest/globals';
import {
  factsAsJson,
  guardWords,
  toLedgerFacts,
  whyOfGuard,
  type WhyReadOnly,
} from '../../../ledger/copy/read-only.ts';

const WHY: WhyReadOnly = { type: 'moved', place: `/home/o'brien {"x"}`, copy: 'c1', at: 1_795_000_000_000 };

describe('the facts of a copy', () => {
  it('are read from the ledger, and from the words of a guard with whatever is around them', () => {
    const { type, ...facts } = WHY;
    const lines = [
      { name: 'id', value: 'l1' },
      { name: type, value: factsAsJson(facts) },
      { name: 'copied', value: factsAsJson({ ...facts, copy: 'c0' }) },
    ];
    expect(toLedgerFacts(lines)).toEqual({ id: 'l1', readOnly: WHY, copied: { ...facts, copy: 'c0' } });
    expect(whyOfGuard(`SQLITE_CONSTRAINT: ${guardWords(WHY)}`)).toEqual(WHY);
    expect(whyOfGuard('SQLITE_CONSTRAINT: something else')).toBeUndefined();
  });

  it.each(['', 'null', '[]', '{"place":7,"copy":null,"at":"x"}', '{"at":1e300}'])(
    'count whatever somebody else has made of them: %s',
    (value) => {
      const readOnly = { type: 'incoming', place: '(unknown)', copy: '', at: 0 };
      expect(toLedgerFacts([{ name: 'incoming', value }])).toMatchObject({ readOnly });
    },
  );

  it('say nothing of a ledger that was never copied', () => {
    expect(toLedgerFacts([{ name: 'id', value: 'l1' }])).toEqual({ id: 'l1', readOnly: undefined, copied: undefined });
  });
});
