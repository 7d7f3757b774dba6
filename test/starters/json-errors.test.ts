import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { run } from './command-line.ts';
import { lineForEach } from './line-for-each.ts';

lineForEach();

/** The one line that a command printed, and its exit code. */
async function errorOf(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(...words);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const value = JSON.parse(stdout) as Record<string, unknown>;
  expect(value['code']).toBe(code);
  expect(stderr).toContain(String(value['message']));
  return value;
}

describe('an error under --json', () => {
  it.each([
    [['status', '--json'], { exit: 'usage', code: 2, next: 'voxbatch init' }],
    [['profile', '--json'], { exit: 'api', code: 5, next: 'voxbatch doctor' }],
    [['voices', 'list', '--json', '--limt', '3'], { exit: 'usage', code: 2, next: 'voxbatch voices list --help' }],
    [['run', 'gone.csv', '--json'], { exit: 'usage', code: 2, next: 'voxbatch run --help' }],
    [['gone', '--json'], { exit: 'usage', code: 2, next: 'voxbatch --help' }],
  ])('of %j is one line: code, message, next command', async (words, expected) => {
    expect(await errorOf(...words)).toMatchObject({ ...expected, message: expect.any(String) });
  });

  it('of a faulty manifest has all problems, and the command that checks again', async () => {
    await writeFile('lines.csv', 'text,voice\n,anna\n');
    expect(await errorOf('run', 'lines.csv', '--json', '--budget', '5')).toMatchObject({
      exit: 'usage',
      next: 'voxbatch plan lines.csv --budget 5',
      manifest: 'lines.csv',
      problem_count: 1,
      problems: [{ line: 2, column: 'text', code: 'missing-cell' }],
    });
  });

  it('is for people only without --json, also where it is a value', async () => {
    expect((await run('status')).stdout).toBe('');
    expect((await run('explain', '--', '--json')).stdout).toBe('');
  });
});
