import { describe, expect, it } from '@jest/globals';
import { noteTake, messageAfterTake, type TakeNote } from '../../starters/recorded-take.ts';

const NEXT = 'voxbatch run lines.csv';

function after(message: string, instead?: string): string {
  const note: TakeNote = {};
  noteTake(note, NEXT, instead);
  if (note.taken === undefined) throw new Error('It was noted.');
  return messageAfterTake(message, note.taken);
}

describe('an error after another take was recorded', () => {
  it.each([
    ['Free some space, then run the same command again.', 'Free some space, then run `voxbatch run lines.csv`.'],
    ['Running the same command again is safe.', 'Running `voxbatch run lines.csv` is safe.'],
    [
      'The result is in the store: the same command pays for nothing twice.',
      '`voxbatch run lines.csv` pays for nothing',
    ],
  ])('advises another command than the same one: %s', (message, words) => {
    expect(after(message)).toContain(words);
    expect(after(message)).not.toContain('the same command');
    expect(after(message)).toMatch(
      /\nIt may have taken effect\. Do not repeat this command: .* Run instead: voxbatch run lines\.csv$/,
    );
  });

  it('of a single job advises the same command without the flag', () => {
    expect(
      after('It is kept: the same command again, or with another -o.', 'the same command without --again'),
    ).toContain('It is kept: the same command without --again, or with another -o.');
  });

  it('says so once', () => {
    const message = 'The rows are open. Do not repeat this command: it would pay for them again.';
    expect(after(message)).toBe(message);
  });
});
