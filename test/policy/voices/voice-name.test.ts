import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestedVoiceName, VoiceNames, type NamedVoice } from '../../../policy/voices/voice-name.ts';

const voice = (id: string, name: string): NamedVoice => ({ id, name, provider: 'p' });
const names = (...voices: readonly NamedVoice[]): VoiceNames<NamedVoice> => new VoiceNames(voices);

it.each([
  ['narrator', undefined],
  ['name', undefined],
  ['a name:b', undefined],
  ['name:Ada', 'Ada'],
  ['Name: Ada Lovelace ', 'Ada Lovelace'],
  ['name:name:x', 'name:x'],
  ['name:', ''],
])('requestedVoiceName reads %j', (cell, name) => expect(requestedVoiceName(cell)).toBe(name));

describe('VoiceNames', () => {
  it('prefers exactly this name to the same in another case', () => {
    const list = names(voice('1', 'Ada'), voice('2', 'ada'));
    expect(list.find('ada')).toEqual({ type: 'found', voice: voice('2', 'ada') });
    expect(list.find('ADA')).toMatchObject({ type: 'ambiguous', voices: [{ id: '1' }, { id: '2' }] });
  });

  it.each([
    ['another case', 'Ada', 'aDA'],
    ['white space around it', ' Ada ', 'Ada'],
    ['the other form of the same characters', 'Zo\u00eb', 'Zoe\u0308'],
    ['that form in another case', 'Zo\u00eb', 'ZOE\u0308'],
    ['a capital sharp s', 'Strau\u00df', 'STRAUSS'],
  ])('ignores %s', (_, listed, asked) => {
    expect(names(voice('1', listed)).find(asked)).toMatchObject({ type: 'found', voice: { id: '1' } });
  });

  it('finds every listed name, as itself or among its equals, and nothing that is not listed', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.string({ unit: 'grapheme' }), (listed, other) => {
        const voices = listed.map((name, at) => voice(String(at), name));
        const list = new VoiceNames(voices);
        for (const one of voices) {
          const found = list.find(one.name);
          const all = found.type === 'found' ? [found.voice] : found.type === 'ambiguous' ? found.voices : [];
          expect(all).toContain(one);
        }
        const same = (a: string): string => a.trim().normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
        if (!listed.some((name) => same(name) === same(other))) expect(list.find(other)).toEqual({ type: 'unknown' });
      }),
    );
  });
});
