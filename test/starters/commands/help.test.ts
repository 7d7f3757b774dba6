import { describe, expect, it } from '@jest/globals';
import { createProgram } from '../../../starters/program.ts';
import { commandTree } from '../../../starters/terminal/usage-words.ts';
import { capture, expectRun, lineForEach, run } from '../command-line.ts';

const TREE = commandTree(createProgram({ output: capture({ out: '', err: '' }), done: () => undefined }));
const PATHS = TREE.map(({ path }) => path).filter((path) => path !== 'help');

lineForEach();

describe('--help', () => {
  it.each(PATHS)('of "%s" goes to stdout, shows an example and has no colours', async (path) => {
    await expectRun(`${path} --help`, 0, { out: /Example:\n(?: {2}.*voxbatch .*\n)+/, err: '', not: '\u001b' });
  });

  it.each(['help cancel', 'cancel --help', 'voices help cancel'])(
    '"%s" is refused as a command that does not exist',
    async (words) => {
      await expectRun(words, 2, { out: '', err: "error: unknown command 'cancel'\n(Did you mean stop?)\n" });
    },
  );

  it('knows every command that is promised', () => {
    const promised =
      'init run plan list status watch explain pause resume stop tune results verify clean simulate worker up doctor completion profile';
    const further = ['voices list', 'schedule create', 'schedule backfill', 'cache prune'];
    expect(PATHS).toEqual(expect.arrayContaining([...promised.split(' '), ...further]));
  });

  it('describes every command and every flag', () => {
    for (const { path, description, flags } of TREE.filter((command) => command.path !== 'help')) {
      expect({ path, description }).not.toEqual({ path, description: '' });
      for (const flag of flags) expect(flag.description).not.toBe('');
    }
  });

  it('of many flags shows those that people use first, and names the others under their headings; all shows everything', async () => {
    const short = (await run('run --help')).stdout;
    const all = (await run('run --help all')).stdout;
    expect(short.split('\n').filter((text) => /^ {2}-/.test(text)).length).toBeLessThanOrEqual(14);
    expect(short).toContain('voxbatch run --help all');
    expect(short).toMatch(/Limits: +--halt, --rate, --submits, --window, --poll-rate/);
    expect(all).toMatch(/\nLimits:\n {2}--halt <policy> /);
    const { flags } = TREE.find(({ path }) => path === 'run') ?? { flags: [] };
    for (const { words } of flags) for (const text of [short, all]) expect(text).toContain(words.at(-1));
  });
});

it('a command that does not exist is refused, also below one that does', async () => {
  await expectRun('profile reset x', 2, { out: '', err: [/^error: /, 'Nothing was spent.'] });
});
