import { describe, expect, it } from '@jest/globals';
import { lostVoiceLines, olderLines } from '../../../starters/reconcile/reconcile-words.ts';

const voice = { row: 1, id: 'ada', voice: 'v-1', name: 'Ada', provider: 'fishaudio', isNew: true };
const OLDER = 'may have been there before the request';

describe('voices that a lost request may have made', () => {
  const lines = (...voices: (typeof voice)[]): string => lostVoiceLines({ type: 'listed', voices }, 'cast').join('\n');

  it('are named in the command only where nothing else can be meant', () => {
    expect(lines(voice)).toMatch(/voxbatch reconcile cast --adopt ada=v-1$/);
    expect(lines(voice)).not.toContain(OLDER);
    const other = { ...voice, voice: 'v-2' };
    expect(lines(voice, other)).toMatch(/--adopt ada=VOICE$/);
    // Two rows that may have made the same voice.
    expect(lines(voice, { ...voice, row: 2, id: 'ada2' })).toMatch(/--adopt ada=VOICE$/);
  });

  it('are never named in the command if they may have been there before the request', () => {
    const older = { ...voice, isNew: false };
    expect(lines(older)).toMatch(/--adopt ada=VOICE$/);
    expect(lines(older)).toContain(OLDER);
  });

  it('are warned of once adopted, with the way back', () => {
    const adopted = { row: 1, id: 'ada', jobId: 'v-1', type: 'adopted', isResult: true } as const;
    expect(olderLines({ ...adopted, mayBeOlder: true }, 'cast').join()).toMatch(
      /^WARNING: a voice of this name may have been there before .* voxbatch reconcile cast --release ada$/,
    );
    expect(olderLines(adopted, 'cast')).toEqual([]);
  });
});
