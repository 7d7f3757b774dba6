import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createProgram } from '../../../starters/program.ts';
import { commandTree, type FlagFacts } from '../../../starters/terminal/usage-words.ts';
import { capture, openCommandLine, type CommandLine, run, json } from '../command-line.ts';

let line: CommandLine;
beforeEach(async () => {
  line = await openCommandLine();
  await writeFile('lines.csv', 'id,text,voice\na,Hello,anna\n');
});
afterEach(() => line.close());

describe('flags of one name mean one thing', () => {
  const commands = commandTree(createProgram({ output: capture({ out: '', err: '' }), done: () => undefined }));
  const byWord = new Map<string, Set<string>>();
  for (const { flags } of commands) {
    for (const flag of flags)
      for (const word of flag.words) byWord.set(word, (byWord.get(word) ?? new Set()).add(longOf(flag)));
  }

  it('a short flag stands for one long flag in every command that has it', () => {
    const short = [...byWord].filter(([word]) => !word.startsWith('--'));
    expect(Object.fromEntries(short.map(([word, longs]) => [word, [...longs]]))).toEqual({
      '-V': ['--version'],
      '-h': ['--help'],
      '-n': ['--name'],
      '-o': ['--out'],
      '-q': ['--quiet'],
      '-v': ['--verbose'],
      '-y': ['--yes'],
    });
  });

  it.each(['--out', '--name', '--yes'])('%s has its short flag in every command', (long) => {
    const flags = commands.flatMap((command) => command.flags).filter(({ words }) => words.includes(long));
    expect(new Set(flags.map(({ words }) => words.length))).toEqual(new Set([2]));
  });
});

describe('--name and --file-name', () => {
  it('name the batch and its files', async () => {
    const { value } = await json('plan', 'lines.csv', '-n', 'spring', '-o', 'there', '--json');
    expect(value).toMatchObject({ batch: 'spring', out: `${line.folder}/there` });
    const { code, stderr } = await run('plan', 'lines.csv', '--file-name', '{voice}/{id}.{ext}');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("--file-name '{voice}/{id}.{ext}'") });
  });

  it.each([
    [['--name', '{id}.{ext}'], '"{id}.{ext}" is not a valid batch name'],
    [['--file-name', 'x'], 'expected .{ext} at the end'],
  ])('refuse %j (2)', async (flags, why) => {
    const { code, stderr } = await run('plan', 'lines.csv', ...flags);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
  });
});

describe('run --dry-run', () => {
  it('says what plan says, and makes nothing', async () => {
    const planned = await run('plan', 'lines.csv', '--budget', '50');
    expect(await run('run', 'lines.csv', '--budget', '50', '--dry-run')).toEqual(planned);
    expect(planned).toMatchObject({ code: 0, stderr: expect.stringContaining('voxbatch run lines.csv --budget 50\n') });
  });
});

function longOf({ words }: FlagFacts): string {
  return words.find((word) => word.startsWith('--')) ?? '';
}
