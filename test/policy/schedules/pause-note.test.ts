import { describe, expect, it } from '@jest/globals';
import { isPauseOnFailure, noteInWords } from '../../../policy/schedules/pause-note.ts';

describe('the note of a schedule', () => {
  it.each([
    'paused due to workflow failure: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z: The manifest has a problem.',
    'paused due to workflow timeout: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z',
    'paused, workflow failed: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z',
  ])('is told without ids where the server wrote %j', (note) => {
    expect(isPauseOnFailure(note)).toBe(true);
    expect(noteInWords(note)).toBe('an occurrence failed');
  });

  it.each(['', 'new voices', 'paused by hand', 'workflow failed'])('is what a person wrote: %j', (note) => {
    expect(isPauseOnFailure(note)).toBe(false);
    expect(noteInWords(note)).toBe(note);
  });
});
