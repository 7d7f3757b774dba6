import { afterEach, expect, it, jest } from '@jest/globals';
import { processOutput } from '../../../starters/terminal/output.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

it('prints no control character of a job id or a message, and JSON stays JSON', () => {
  const printed: string[] = [];
  const write = (text: unknown): boolean => printed.push(String(text)) > 0;
  jest.spyOn(process.stdout, 'write').mockImplementation(write);
  jest.spyOn(process.stderr, 'write').mockImplementation(write);
  const output = processOutput();
  output.say('job \u001b]0;x\u0007 two\n\tlines');
  output.data(JSON.stringify({ id: '\u001b[2J', next: 'a\u009bb' }));
  expect(printed).toEqual(['job \\u001b]0;x\\u0007 two\n\tlines\n', '{"id":"\\u001b[2J","next":"a\\u009bb"}\n']);
});
