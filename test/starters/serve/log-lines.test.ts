import { describe, expect, it } from '@jest/globals';
import { ExitError } from '../../../starters/exit-error.ts';
import { withLog } from '../../../starters/serve/log-lines.ts';
import { logOf, type Output } from '../../../starters/terminal/output.ts';

function recording(isTerminal = false): { readonly said: string[]; readonly output: Output } {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  return {
    said,
    output: { say, data: () => undefined, isTerminal, isInteractive: false, hasColour: false, isVerbose: true },
  };
}

/** Says two lines, and logs one of the worker's. */
function work(output: Output): Promise<'complete'> {
  output.say('Working.');
  output.say('\nEnding.');
  logOf(output)?.('{"level":30,"msg":"a lane"}');
  return Promise.resolve('complete');
}

describe('the log of a command that stays', () => {
  it('is plain lines on a terminal, and lines with their time elsewhere', async () => {
    const [here, elsewhere] = [recording(true), recording()];
    await withLog('text', here.output, work);
    expect(here.said).toEqual(['Working.', '\nEnding.', '{"level":30,"msg":"a lane"}']);
    await withLog('text', elsewhere.output, work);
    expect(elsewhere.said.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /, 'AT '))).toEqual([
      'AT Working.',
      'AT Ending.',
      '{"level":30,"msg":"a lane"}',
    ]);
  });

  it('is an object in each line as JSON, the error at its end included', async () => {
    const { said, output } = recording();
    expect(await withLog('json', output, work)).toBe('complete');
    const refusing = (): Promise<never> => Promise.reject(new ExitError('unfinished', 'It runs already.'));
    expect(await withLog('json', output, refusing)).toBe('unfinished');
    const lines = said.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { level: 30, msg: 'Working.', pid: process.pid },
      { level: 30, msg: 'Ending.' },
      { level: 30, msg: 'a lane' },
      { level: 50, msg: 'It runs already.', exit: 'unfinished', exit_code: 75 },
    ]);
    await expect(withLog('json', output, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  });
});
