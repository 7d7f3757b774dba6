import { describe, expect, it } from '@jest/globals';
import { parseThreshold } from '../../inputs/parse-row.ts';
import { notInLegacy, notVerifiable } from '../../inputs/row-reader.ts';
import { dialectOfRow } from '../../policy/dialects/dialect-of-row.ts';

const TTS = { kind: 'tts', text: 'Hello there.', voice: 'ada', extra: {} } as const;

describe('the column verify', () => {
  it('takes true, false, and a share', () => {
    expect(parseThreshold('true')).toEqual({ value: 0.25 });
    expect(parseThreshold('FALSE')).toEqual({ value: undefined });
    expect(parseThreshold('0.1')).toEqual({ value: 0.1 });
    for (const cell of ['yes', '1', '0', '0.7', '10%']) expect(parseThreshold(cell)).toHaveProperty('finding');
  });

  it('needs speech by a job, which gives a link', () => {
    expect(notVerifiable({ ...TTS, verify: 0.25 }, 'job')).toBeUndefined();
    expect(notVerifiable(TTS, 'sync')).toBeUndefined();
    expect(notVerifiable({ ...TTS, verify: 0.25 }, 'sync')).toMatchObject({ column: 'verify', code: 'not-verifiable' });
    expect(notVerifiable({ ...TTS, kind: 'dub', verify: 0.25 }, 'sync')).toBeUndefined();
  });

  it('keeps a row off the legacy paths, which have no transcription', () => {
    const row = { ...TTS, verify: 0.25 };
    expect(dialectOfRow(row, 'a', 0.999)).toBe('v1');
    expect(dialectOfRow(row, 'a', 1)).toBeUndefined();
    expect(notInLegacy(row)).toMatchObject({ column: 'verify', code: 'not-in-dialect' });
    expect(notInLegacy({ kind: 'stt' })).toMatchObject({ column: 'kind' });
  });
});
