import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProgram } from '../../../starters/program.ts';
import { commandTree } from '../../../starters/terminal/usage-words.ts';
import { capture, openCommandLine, type CommandLine, run } from '../command-line.ts';

const TREE = commandTree(createProgram({ output: capture({ out: '', err: '' }), done: () => undefined }));
const PATHS = TREE.map(({ path }) => path).filter((path) => path !== 'help');

let line: CommandLine;
beforeAll(async () => {
  line = await openCommandLine();
});
afterAll(() => line.close());

describe('--help', () => {
  it.each(PATHS)('of "%s" goes to stdout, shows an example and has no colours', async (path) => {
    const words = path === '' ? [] : path.split(' ');
    const { code, stdout, stderr } = await run(...words, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Example:\n(?: {2}.*voxbatch .*\n)+/);
    expect(stdout).not.toContain('\u001b');
  });

  it('knows every command that is promised', () => {
    const promised =
      'init run plan list status watch explain pause resume stop tune results verify clean simulate worker up doctor completion profile';
    expect(PATHS).toEqual(
      expect.arrayContaining([
        ...promised.split(' '),
        'voices list',
        'schedule create',
        'schedule backfill',
        'cache prune',
      ]),
    );
  });

  it('describes every command and every flag', () => {
    for (const { path, description, flags } of TREE.filter((command) => command.path !== 'help')) {
      expect({ path, description }).not.toEqual({ path, description: '' });
      for (const flag of flags) expect(flag.description).not.toBe('');
    }
  });
});

describe('the help of a command with many flags', () => {
  it('shows those that people use first, and names the others under their headings; all shows everything', async () => {
    const short = (await run('run', '--help')).stdout;
    const all = (await run('run', '--help', 'all')).stdout;
    expect(short.split('\n').filter((text) => /^ {2}-/.test(text)).length).toBeLessThanOrEqual(14);
    expect(short).toContain('voxbatch run --help all');
    expect(short).toMatch(/Limits: +--halt, --rate, --submits, --window, --poll-rate/);
    expect(all).toMatch(/\nLimits:\n {2}--halt <policy> /);
    const { flags } = TREE.find(({ path }) => path === 'run') ?? { flags: [] };
    for (const { words } of flags) for (const text of [short, all]) expect(text).toContain(words.at(-1));
  });
});

describe('a command that does not exist', () => {
  it('is refused, also below one that does', async () => {
    const { code, stdout, stderr } = await run('profile', 'reset', 'x');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain('Nothing was spent.');
  });
});
