import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { reasonOf, withCostNote } from '../../../policy/rows/group-reasons.ts';

describe('reasonOf', () => {
  it.each(['403 ERR_FORBIDDEN from cdn.example', '403 forbidden from cdn.example', '403 from cdn.example'])(
    'takes %s for one reason, however it is worded',
    (cause) => {
      expect(reasonOf({ cause, message: '' })).toBe('403 from cdn.example');
    },
  );

  it.each([
    ['The API says that job job-1f3a failed: The voice is hoarse (the API may have charged for it).', 'hoarse'],
    [
      'Job 0d620452-9e96-420a-8e77-d3ca1559d56f is still "running" after 600.1 min; it may have been charged.',
      'running',
    ],
  ])('is the same for all rows in %s', (message, word) => {
    const reason = reasonOf({ message });
    expect(reason).toContain(word);
    expect(reason).not.toMatch(/\d/);
    expect(reasonOf({ message: message.replaceAll(/\d/gu, '7') })).toBe(reason);
  });
});

function failing(message: string): Failure {
  return { class: 'BadRequest', message, status: 400 };
}

describe('withCostNote', () => {
  it('leaves a message alone that speaks of it', () => {
    const said = failing('The card was charged twice already.');
    expect(withCostNote(said, 'nothing was charged')).toBe(said);
  });

  it('shortens the words, never the note', () => {
    const { message } = withCostNote(failing('x'.repeat(600)), 'nothing was charged');
    expect(message).toHaveLength(500);
    expect(message).toMatch(/^x{478} \(nothing was charged\)$/);
    const whole = 'y'.repeat(478);
    expect(withCostNote(failing(whole), 'nothing was charged').message).toBe(`${whole} (nothing was charged)`);
  });
});
