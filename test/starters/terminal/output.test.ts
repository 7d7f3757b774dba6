import { expect, it, jest } from '@jest/globals';
import { processOutput } from '../../../starters/terminal/output.ts';

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

it.each([
  ['a terminal', {}, ['\u001b[31merror:\u001b[39m no', '\u001b[33mWARNING:\u001b[39m dear', 'Batch "error: x"']],
  ['NO_COLOR', { NO_COLOR: '1' }, ['error: no', 'WARNING: dear', 'Batch "error: x"']],
  ['TERM=dumb', { TERM: 'dumb' }, ['error: no', 'WARNING: dear', 'Batch "error: x"']],
])('colours errors and warnings only where that is wanted: %s', (_, env, said) => {
  const before = { ...process.env };
  const { isTTY } = process.stderr;
  Object.assign(process.env, { TERM: 'xterm', NO_COLOR: '', CI: '' }, env);
  process.stderr.isTTY = true;
  const printed: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text: unknown) => printed.push(String(text)) > 0);
  try {
    const output = processOutput();
    for (const line of ['error: no', 'WARNING: dear', 'Batch "error: x"']) output.say(line);
    expect(printed).toEqual(said.map((line) => `${line}\n`));
    const canDraw = process.env['TERM'] !== 'dumb';
    expect([output.progress, output.draw !== undefined]).toEqual([canDraw ? 'bar' : 'plain', canDraw]);
    process.env['CI'] = 'true';
    expect(processOutput().progress).toBe('plain');
  } finally {
    process.stderr.isTTY = isTTY;
    process.env = before;
  }
});
