import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { withCostNote } from '../../../policy/rows/failure-reason.ts';

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
