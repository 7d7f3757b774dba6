import { describe, expect, it } from '@jest/globals';
import { VoiceUses } from '../../../inputs/voices/voice-uses.ts';
import { awaitedRows, type AwaitedRow } from '../../../client/run/plan-view.ts';
import { awaitedLines } from '../../../starters/run/plan-report.ts';

const COLUMNS = { voice: 'voice', engine: 'engine', speaker: 'speaker' } as const;

/** A row makes each of so many voices, and two ask for it. */
function awaited(count: number): readonly AwaitedRow[] {
  const uses = new VoiceUses();
  const voices = new Map<string, { readonly type: 'made'; readonly row: number }>();
  for (let row = count; row >= 1; row--) {
    const name = `N${String(row)}`;
    uses.add({ row, line: row + 1, id: name, spec: { kind: 'voice', name, extra: {} } });
    for (const line of [100 + row, 200 + row])
      uses.add({ row: line - 1, line, id: String(line), spec: { kind: 'tts', voice: `name:${name}`, extra: {} } });
    voices.set(`name:${name}`, { type: 'made', row });
  }
  return awaitedRows(uses.list(COLUMNS), voices);
}

describe('the rows that others wait for', () => {
  it('are told in the order of the manifest, the first five by name', () => {
    expect(awaited(2)).toEqual([
      { voice: 'name:N1', row: 1, line: 2, rows: 2, firstLine: 101 },
      { voice: 'name:N2', row: 2, line: 3, rows: 2, firstLine: 102 },
    ]);
    expect(awaitedLines([])).toEqual([]);
    const lines = awaitedLines(awaited(200));
    expect(lines).toHaveLength(7);
    expect(lines[0]).toBe('Voices: 200 are made by rows of this manifest; 400 rows wait for them');
    expect(lines.at(-1)).toBe('  and 195 more');
  });

  it('are told once for a voice that rows ask for in several ways, by the name that it gets', () => {
    const uses = new VoiceUses();
    uses.add({ row: 1, line: 2, id: 'ada', spec: { kind: 'voice', name: 'Ada', extra: {} } });
    for (const [at, voice] of ['name:ADA', 'name:Ada', 'name:ADA', 'NAME: ada'].entries())
      uses.add({ row: at + 2, line: at + 3, id: String(at), spec: { kind: 'tts', voice, extra: {} } });
    const made = { type: 'made', row: 1 } as const;
    const voices = new Map(['name:ADA', 'name:Ada', 'NAME: ada'].map((voice) => [voice, made]));
    const found = awaitedRows(uses.list(COLUMNS), voices);
    expect(found).toEqual([{ voice: 'name:Ada', row: 1, line: 2, rows: 4, firstLine: 3 }]);
    expect(awaitedLines(found)).toEqual([
      'Voices: 1 is made by rows of this manifest; 4 rows wait for it',
      '  row 1 (line 2) makes "Ada": 4 rows, the first in line 3',
    ]);
  });
});
