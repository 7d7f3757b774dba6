import { describe, expect, it } from '@jest/globals';
import { run, json } from '../command-line.ts';
import { lineForEach } from '../line-for-each.ts';

lineForEach();

describe('a word that is read otherwise than it is meant', () => {
  it.each([
    [['say', '-5 degrees', '--voice', 'anna'], "put it last, after --: -- '-5 degrees')"],
    [['say', '-hello', '--voice', 'anna'], 'after --: -- -hello)'],
    [['say', '-very good', '--voice', 'anna'], "after --: -- '-very good')"],
    [['say', '-old friend', '--voice', 'anna'], "after --: -- '-old friend')"],
    [['say', "-don't", '--voice', 'anna'], 'after --: -- '],
    [['run', '--join', '--name', 'x'], '--join needs a value, and the next word is the flag --name.'],
    [['say', 'Hi', '--voice', '--json'], 'If it is meant to be the value: --voice=--json.'],
    [['run', 'x.csv', '--voice', '-y'], '--voice needs a value, and the next word is the flag -y.'],
    [['voices', 'create', '--sample', 'a.wav', 'Ada'], '(--sample takes Ada for its value. Any other word goes before'],
    [
      ['say', '--verify', '0.1'],
      '(--verify takes 0.1 for its value. Any other word goes before the flag, or after --.)',
    ],
  ])('%j is a usage error that says so', async (words, hint) => {
    const { code, stderr } = await run(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
    expect(stderr).toContain('Nothing was spent.');
    expect((await json(...words, '--json')).value).toMatchObject({ message: expect.stringContaining(hint) });
  });

  it('is left alone where it can be meant', async () => {
    expect((await run('say', '--voice', 'anna', '--', '-5 degrees')).stderr).not.toContain('--:');
    expect((await run('say', 'Hi', '--voice=--json')).stderr).not.toContain('needs a value');
    expect((await run('say')).stderr).not.toContain('(');
  });
});
