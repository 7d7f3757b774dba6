import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { json, lineForEach, run } from './command-line.ts';

lineForEach();

/** The one line that a command printed. */
async function errorOf(line: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(line, '--json');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const { value } = await json(line);
  expect(value).toMatchObject({ exit_code: code, message: expect.any(String) });
  expect(stderr).toContain(value['message']);
  return value;
}

describe('an error under --json', () => {
  it.each([
    ['status', { exit: 'usage', exit_code: 2, next: 'voxbatch init' }],
    ['profile', { exit: 'api', exit_code: 5, next: 'voxbatch doctor' }],
    ['voices list --limt 3', { exit: 'usage', exit_code: 2, next: 'voxbatch voices list --help' }],
    ['run gone.csv', { exit: 'usage', exit_code: 2, next: 'voxbatch init' }],
    ['gone', { exit: 'usage', exit_code: 2, next: 'voxbatch --help' }],
  ])('of %s is one line: code, message, next command', async (line, expected) => {
    expect(await errorOf(line)).toMatchObject(expected);
  });

  it('names the same command again where a file has to be mended, and that of the file which was meant', async () => {
    await writeFile('lines.csv', 'text,voice\n');
    expect(await errorOf('run lines --budget 5')).toMatchObject({ next: 'voxbatch run lines.csv --budget 5 --json' });
    await writeFile('cast.csv', 'name\n');
    const line = 'plan lines.csv --cast cast.csv';
    expect(await errorOf(line)).toMatchObject({ next: `voxbatch ${line} --json` });
  });

  it('of a faulty manifest has all problems, and the command that checks again', async () => {
    await writeFile('lines.csv', 'text,voice\n,anna\n');
    const problems = [{ line: 2, column: 'text', code: 'missing-cell' }];
    const next = 'voxbatch plan lines.csv --budget 5';
    const expected = { exit: 'usage', next, manifest: 'lines.csv', problem_count: 1, problems };
    expect(await errorOf('run lines.csv --budget 5')).toMatchObject(expected);
  });

  it('is for people only without --json, also where it is a value', async () => {
    for (const line of ['status', 'explain -- --json']) expect((await run(line)).stdout).toBe('');
  });
});
