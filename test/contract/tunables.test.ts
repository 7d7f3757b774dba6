import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_TUNABLES,
  TUNABLE_NAMES,
  TUNABLES,
  EARLIER_TUNABLES,
  tuningOf,
  valuesOf,
  type TunableName,
} from '../../contract/tunables.ts';
import { POLLING, pollingSettings } from '../../contract/polling-settings.ts';
import { formatValue, parseValue, type AnyValue, type ValueKind } from '../../contract/value-kinds.ts';
import { applyTuning, changedTunables } from '../../policy/tuning.ts';

/** Any value of a kind. */
function anyOf(takes: ValueKind): fc.Arbitrary<AnyValue> {
  switch (takes.type) {
    case 'count':
      return fc.integer({ min: takes.least, max: takes.most });
    case 'rate':
    case 'credits':
      return fc.option(fc.double({ min: Number.MIN_VALUE, max: 1e12, noNaN: true }));
    case 'duration':
      return takes.unit === 'ms' ? fc.nat() : fc.double({ min: 0.001, max: 1e6, noNaN: true });
    case 'choice':
      return fc.constantFrom(...takes.words);
    case 'halt':
      return fc.oneof(
        fc.constantFrom({ when: 'never' } as const, { when: 'alike' } as const),
        fc.record({
          when: fc.constantFrom('soon' as const, 'now' as const),
          fail: fc.integer({ min: 1, max: 100 }),
          unit: fc.constantFrom('rows' as const, 'percent' as const),
        }),
      );
    case 'command':
      return fc.option(fc.constantFrom('echo "$VOXBATCH_BATCH"', 'true', './after.sh --all'));
    case 'url':
      return fc.option(fc.webUrl({ withQueryParameters: true }));
  }
}

const anyTuning = fc
  .record(Object.fromEntries(TUNABLE_NAMES.map((name) => [name, anyOf(TUNABLES[name].takes)])), { requiredKeys: [] })
  .map((values) => tuningOf(values));

describe('the table of tunables', () => {
  it('gives every tunable a value, in a new batch and in an old one', () => {
    for (const holds of [DEFAULT_TUNABLES, EARLIER_TUNABLES])
      expect(Object.keys(valuesOf(holds))).toEqual(TUNABLE_NAMES);
    expect(DEFAULT_TUNABLES).toEqual({
      budget: null,
      halt: { when: 'alike' },
      onUnknown: 'hold',
      cache: 'on',
      onEnd: null,
      notify: null,
      retakes: 0,
      limits: { rate: null, submits: 8, window: 400, pollRate: null },
    });
    expect(EARLIER_TUNABLES.halt).toEqual({ when: 'never' });
  });

  it.each(TUNABLE_NAMES)('%s: what is written is read again', (name: TunableName) => {
    const { takes } = TUNABLES[name];
    fc.assert(
      fc.property(anyOf(takes), (value) => {
        expect(parseValue(takes, formatValue(value))).toEqual(value);
      }),
    );
  });

  it('keeps what is not tuned, and knows what of a tuning is new', () => {
    fc.assert(
      fc.property(anyTuning, anyTuning, (first, second) => {
        const holds = applyTuning(DEFAULT_TUNABLES, first);
        const after = applyTuning(holds, second);
        expect(valuesOf(after)).toEqual({ ...valuesOf(DEFAULT_TUNABLES), ...valuesOf(first), ...valuesOf(second) });
        expect(changedTunables(second, after)).toEqual({});
        expect(applyTuning(holds, changedTunables(second, holds))).toEqual(after);
        expect(tuningOf(valuesOf(second))).toEqual(second);
      }),
    );
  });
});

describe('how jobs are watched', () => {
  it('has defaults that their kinds take, and keeps what is given', () => {
    for (const { takes, default: usual } of Object.values(POLLING)) {
      expect(parseValue(takes, formatValue(usual))).toBe(usual);
    }
    expect(pollingSettings()).toEqual({ firstLookMs: 3_000, pollGapMs: 3_000, jobDeadlineMs: 7_200_000 });
    expect(pollingSettings({ gapMs: 50 })).toEqual({ firstLookMs: 3_000, pollGapMs: 50, jobDeadlineMs: 7_200_000 });
  });

  it.each([
    ['gapMs', '0'],
    ['gapMs', '1.5'],
    ['firstLookMs', '-1'],
    ['jobDeadlineMinutes', '0'],
  ] as const)('takes no %s of %s', (name, text) => expect(parseValue(POLLING[name].takes, text)).toBeUndefined());
});

it.each([
  'http://localhost:99999',
  'http://[::1',
  'https://%/',
  'http://:80',
  'ftp://a/b',
  'https://user:pw@a/b',
  'https://a/b c',
])('there is no URL %s, to which nothing could be sent', (text) => {
  expect(parseValue({ type: 'url' }, text)).toBeUndefined();
});
