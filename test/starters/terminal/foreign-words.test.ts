import { describe, expect, it } from '@jest/globals';
import { run, json } from '../command-line.ts';
import { lineForEach } from '../line-for-each.ts';

lineForEach();

describe('a word that other tools use', () => {
  it.each([
    [['retry', 'lines'], '(Did you mean redrive?)'],
    [['cancel'], '(Did you mean stop?)'],
    [['validate', 'lines.csv'], '(Did you mean plan?)'],
    [['logs'], '(For a row: voxbatch explain ROW.'],
    [['plan', 'x.csv', '--quiet'], '(These take --quiet: run, redrive'],
    [['status', '-v'], '(These take -v: run, redrive'],
    [['list', '-o', 'x'], '(These take -o: run, plan, redrive'],
    [
      ['run', 'x.csv', '--concurrency', '4'],
      '(Did you mean --window? These take --window: run, plan, tune, schedule create, schedule update)',
    ],
    [['run', 'x.csv', '--output', 'y'], '(Did you mean --out? These take --out: run'],
  ])('%j is answered with ours', async (words, hint) => {
    const { code, stderr } = await run(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('--budget');
    expect((await json(...words, '--json')).value).toMatchObject({ message: expect.stringContaining(hint) });
  });

  it('that nobody uses is answered with the nearest of ours, as before', async () => {
    expect((await run('run', 'x.csv', '--buget', '4')).stderr).toContain('(Did you mean --budget?)');
    expect((await run('stauts')).stderr).toContain('(Did you mean status?)');
  });
});
