import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { changesBetween, type FieldChange } from '../../../policy/plan/row-changes.ts';

const SPEECH: RowSpec = { kind: 'tts', text: 'Hello', voice: 'anna', speed: 1.5, extra: {} };

function changes(after: Partial<RowSpec>, before: RowSpec = SPEECH): readonly FieldChange[] {
  return changesBetween({ spec: before, tts: 'job' }, { spec: { ...before, ...after }, tts: 'job' });
}

describe('the fields in which a row differs from its last take', () => {
  it('names the field, its old and its new value', () => {
    expect(changes({ voice: 'ben' })).toEqual([{ field: 'voice', from: 'anna', to: 'ben' }]);
    expect(changes({ speed: 2 })).toEqual([{ field: 'speed', from: '1.5', to: '2' }]);
    expect(changes({ engine: 'v2' })).toEqual([{ field: 'engine', from: '', to: 'v2' }]);
  });

  it('names fields of api.*, and how speech is asked for', () => {
    expect(changes({ extra: { seed: 2 } }, { ...SPEECH, extra: { seed: 1, tone: 'calm' } })).toEqual([
      { field: 'api.seed', from: '1', to: '2' },
      { field: 'api.tone', from: '"calm"', to: '' },
    ]);
    expect(changesBetween({ spec: SPEECH, tts: 'job' }, { spec: SPEECH, tts: 'sync' })).toEqual([
      { field: 'tts', from: 'job', to: 'sync' },
    ]);
    const dub: RowSpec = { ...SPEECH, kind: 'dub', video: 'https://cdn.example/v.mp4' };
    expect(changesBetween({ spec: dub, tts: 'job' }, { spec: dub, tts: 'sync' })).toEqual([]);
  });

  it('says of a row of another kind only that', () => {
    expect(changes({ kind: 'dub', video: 'https://cdn.example/v.mp4' })).toEqual([
      { field: 'kind', from: 'tts', to: 'dub' },
    ]);
  });

  it('finds nothing between a request and itself, and the same fields in either direction', () => {
    const value = fc.option(fc.string(), { nil: undefined });
    const spec = fc
      .record({ text: value, voice: value, engine: value, extra: fc.dictionary(fc.string(), fc.integer()) })
      .map((cells) => ({ kind: 'tts', ...cells }) as RowSpec);
    fc.assert(
      fc.property(spec, spec, (one, other) => {
        const there = changesBetween({ spec: one, tts: 'job' }, { spec: other, tts: 'job' });
        const back = changesBetween({ spec: other, tts: 'job' }, { spec: one, tts: 'job' });
        expect(changes({}, one)).toEqual([]);
        expect(back.map(({ field }) => field).toSorted()).toEqual(there.map(({ field }) => field).toSorted());
      }),
    );
  });
});
