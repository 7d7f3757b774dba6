import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { askYesNo } from '../../../starters/terminal/ask.ts';

/** Asks, and answers with these bytes; `end` also ends the input, as Ctrl-D does. */
async function answer(
  bytes: string,
  end: boolean,
  question = 'Spend 5 credits?',
): Promise<{ answer: boolean; shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked = askYesNo(question, { input, output });
  if (end) input.end(bytes);
  else input.write(bytes);
  const answer = await asked;
  return { answer, shown: String(output.read()) };
}

describe('askYesNo', () => {
  it.each(['y\n', 'Y\r\n', 'yes\n', ' Yes \n'])('takes %j for a yes', async (bytes) => {
    expect(await answer(bytes, false)).toEqual({ answer: true, shown: expect.stringContaining('credits? [y/N] ') });
  });

  it.each(['\n', 'n\n', 'no\n', 'yep\n', 'ja\n', 'y y\n'])('takes %j for a no', async (bytes) => {
    expect(await answer(bytes, false)).toMatchObject({ answer: false });
  });

  it('takes the end of the input for a no', async () => {
    expect(await answer('', true)).toEqual({ answer: false, shown: 'Spend 5 credits? [y/N] \n' });
  });

  it('lets no part of a question steer the terminal', async () => {
    const { shown } = await answer('n\n', false, 'Use /a\rUse nothing\u001b[8m of\nthis?');
    expect(shown).toContain('Use /a\\rUse nothing\\u001b[8m of\nthis? [y/N] ');
  });
});
