import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseVoice, isSameName, type LostVoice } from '../../../policy/voices/match-lost-voice.ts';

const CLEAR: LostVoice = { nameWasFree: true, named: ['v1'], claimed: new Set(), others: 0, ageMs: 60_000 };

describe('the voice of a lost request', () => {
  it('is the only one of a name that was free', () => expect(chooseVoice(CLEAR)).toEqual({ type: 'found', id: 'v1' }));

  it.each<[string, Partial<LostVoice>]>([
    ['its name was taken before', { nameWasFree: false }],
    ['nobody knows whether its name was free', { nameWasFree: null }],
    ['two voices have the name', { named: ['v1', 'v2'] }],
    ['another attempt has the voice', { claimed: new Set(['v1']) }],
    ['another lost request gave the same name', { others: 1 }],
    ['it is long ago, and somebody may have made one of this name since', { ageMs: 3_600_000 }],
  ])('is not to be told where %s', (_, doubt) => {
    expect(chooseVoice({ ...CLEAR, ...doubt })).toEqual({ type: 'ambiguous' });
  });

  it('may still appear where no voice has its name', () => {
    expect(chooseVoice({ ...CLEAR, named: [] })).toEqual({ type: 'nothing' });
  });

  it('is never another than one of its name that nobody has', () => {
    const ids = fc.uniqueArray(fc.constantFrom('v1', 'v2', 'v3'));
    const lost = fc.record({
      nameWasFree: fc.constantFrom(true, false, null),
      named: ids,
      claimed: ids.map((some) => new Set(some)),
      others: fc.nat(2),
      ageMs: fc.constantFrom(0, 3_600_000),
    });
    fc.assert(
      fc.property(lost, (one) => {
        const finding = chooseVoice(one);
        if (finding.type !== 'found') return;
        expect(one.named).toEqual([finding.id]);
        expect([...one.claimed]).not.toContain(finding.id);
        expect([one.nameWasFree, one.ageMs]).toEqual([true, 0]);
      }),
    );
  });
});

it('names are the same whatever way their letters are written in, and in another case they are not', () => {
  expect(isSameName('Zoe\u0308', ' Zo\u00EB ')).toBe(true);
  expect(isSameName('anna', 'Anna')).toBe(false);
});
