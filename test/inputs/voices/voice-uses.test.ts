import { describe, expect, it } from '@jest/globals';
import { VoiceUses, type VoiceRow } from '../../../inputs/voices/voice-uses.ts';
import { problemsIn } from '../manifest-file.ts';

const COLUMNS = { voice: 'voice', engine: 'engine', speaker: 'speaker' };

const row = (line: number, voice?: string, engine?: string): VoiceRow => {
  const named = { ...(voice === undefined ? {} : { voice }), ...(engine === undefined ? {} : { engine }) };
  return { row: line - 1, line, id: `r${String(line)}`, spec: { kind: 'tts', extra: {}, ...named } };
};

describe('VoiceUses', () => {
  it('counts the rows of each voice and of its engines, and keeps the first of each', () => {
    const uses = new VoiceUses();
    for (const one of [row(2, 'ada'), row(3, 'ada', 'e1'), row(4), row(5, 'lin', 'e1'), row(6, 'ada', 'e1')])
      uses.add(one);
    const place = (line: number, rows: number): object => ({ line, id: `r${String(line)}`, file: undefined, rows });
    expect(uses.list(COLUMNS)).toEqual({
      uses: [
        { voice: 'ada', ...place(2, 3), engines: new Map([['e1', place(3, 2)]]) },
        { voice: 'lin', ...place(5, 1), engines: new Map([['e1', place(5, 1)]]) },
      ],
      makers: [],
      beyond: undefined,
      isCut: false,
      columns: COLUMNS,
    });
  });

  it('forgets ids beyond its limit, but no name', () => {
    const uses = new VoiceUses(2);
    for (const one of [row(2, 'a'), row(3, 'b'), row(4, 'c'), row(5, 'a')]) uses.add(one);
    expect(uses.list(COLUMNS)).toMatchObject({ uses: [{ voice: 'a', rows: 2 }, { voice: 'b' }], beyond: undefined });
    for (const one of [row(6, 'name:d'), row(7, 'name:e')]) uses.add(one);
    expect(uses.list(COLUMNS).beyond).toMatchObject({ line: 6, rows: 2 });
  });
});

it('a voice by name needs a name', async () => {
  const problems = await problemsIn('text,voice\na,name:\nb, Name: \nc,name:Ada\n');
  expect(problems).toEqual(['2 voice bad-voice-name', '3 voice bad-voice-name']);
});
