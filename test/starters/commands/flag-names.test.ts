import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createProgram } from '../../../starters/program.ts';
import { commandTree } from '../../../starters/terminal/usage-words.ts';
import { capture, expectRun, json, lineForEach } from '../command-line.ts';

lineForEach();
beforeEach(() => writeFile('lines.csv', 'id,text,voice\na,Hello,anna\n'));

describe('flags of one name mean one thing', () => {
  const flags = commandTree(createProgram({ output: capture({ out: '', err: '' }), done: () => undefined })).flatMap(
    (command) => command.flags,
  );

  it('a short flag stands for one long flag in every command that has it, and that has it in every command', () => {
    const short: Record<string, string> = {
      '-V': '--version',
      '-h': '--help',
      '-n': '--name',
      '-o': '--out',
      '-q': '--quiet',
      '-v': '--verbose',
      '-y': '--yes',
    };
    const words = flags.flatMap((flag) => flag.words);
    expect(new Set(words.filter((word) => !word.startsWith('--')))).toEqual(new Set(Object.keys(short)));
    for (const flag of flags)
      for (const word of flag.words.filter((one) => one in short)) expect(flag.words).toContain(short[word]);
    for (const long of ['--out', '--name', '--yes'])
      for (const flag of flags.filter((one) => one.words.includes(long))) expect(flag.words).toHaveLength(2);
  });
});

describe('--name and --file-name', () => {
  it('name the batch and its files', async () => {
    const { value } = await json('plan lines.csv -n spring -o there');
    expect(value).toMatchObject({ batch: 'spring', out: join(process.cwd(), 'there') });
    await expectRun('plan lines.csv --file-name {voice}/{id}.{ext}', 0, "--file-name '{voice}/{id}.{ext}'");
  });

  it.each([
    ['--name {id}.{ext}', '"{id}.{ext}" is not a valid batch name'],
    ['--file-name x', 'expected .{ext} at the end'],
  ])('refuse %s (2)', (flags, why) => expectRun(`plan lines.csv ${flags}`, 2, why));
});
