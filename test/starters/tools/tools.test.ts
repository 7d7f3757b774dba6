import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { KINDS } from '../../../contract/row-kinds.ts';
import { run, json } from '../command-line.ts';
import { lineForEach } from '../line-for-each.ts';

lineForEach();

describe('init', () => {
  it.each(KINDS)('writes an example of %s that can be planned', async (kind) => {
    const { code, stdout, stderr } = await run('init', kind);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${kind}.csv\n` });
    expect(stderr).toContain(`voxbatch plan ${kind}.csv`);
    const plan = await json('plan', `${kind}.csv`, '--json');
    expect(plan.code).toBe(0);
    expect(Object.keys(plan.value['kinds'] as object)).toEqual([kind]);
  });

  it('names the file as a shell reads it', async () => {
    const { stderr } = await run('init', 'tts', '--out', "my batch's.csv");
    expect(stderr).toContain(`voxbatch plan 'my batch'\\''s.csv' `);
  });

  it('never overwrites', async () => {
    await writeFile('mine.csv', 'mine');
    const { code, stderr } = await run('init', 'stt', '--out', 'mine.csv');
    expect(code).toBe(2);
    expect(stderr).toContain('mine.csv already exists');
    expect(await readFile('mine.csv', 'utf8')).toBe('mine');
  });

  it('refuses a kind that does not exist, and a folder that is not there', async () => {
    expect(await run('init', 'opera')).toMatchObject({ code: 2, stderr: expect.stringContaining('opera') });
    const { code, stderr } = await run('init', '--out', 'no/where.csv');
    expect(code).toBe(2);
    expect(stderr).toMatch(/no\/where\.csv cannot be written: .*Create its folder/);
    expect(stderr).not.toContain('..\n');
  });
});

describe('completion', () => {
  const hasShell = (name: string): boolean => ['/bin', '/usr/bin'].some((folder) => existsSync(`${folder}/${name}`));
  const onlyWithBash = hasShell('bash') ? it : it.skip;

  /** What bash offers after these words; the last one is being typed. */
  async function offered(words: readonly string[]): Promise<string[]> {
    const { stdout: script } = await run('completion', 'bash');
    await writeFile('completion.bash', script);
    const typed = words.map((word) => `'${word}'`).join(' ');
    const program = [
      'set -u; source ./completion.bash; complete -p voxbatch >&2',
      `COMP_WORDS=(voxbatch ${typed}); COMP_CWORD=${words.length}; _voxbatch`,
      'printf "%s\\n" "${COMPREPLY[@]:-}"',
    ].join('\n');
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', program]);
    expect(stderr).toContain('-F _voxbatch voxbatch');
    return stdout.split('\n').filter((word) => word !== '');
  }

  onlyWithBash.each([
    [['sta'], ['status']],
    [['run', 'x.csv', '--sub'], ['--submits']],
    [
      ['voices', ''],
      ['list', 'show', 'preview', 'create', 'delete', 'help', '-h', '--help'],
    ],
    [['voices', 'list', '--se'], ['--search']],
    [['init', 'l'], ['lip-sync']],
    [['completion', 'z'], ['zsh']],
    [
      ['run', '--on-unknown', ''],
      ['hold', 'resubmit', 'fail'],
    ],
    [['run', '--voice', 'r'], []],
    [
      ['simulate', '--job-'],
      ['--job-ms', '--job-distribution'],
    ],
    [['plan', 'some'], []],
  ])('bash: %j is completed to %j', async (words, expected) => {
    expect(await offered(words)).toEqual(expected);
  });

  it.each(['bash', 'zsh', 'fish'])('for %s is a script that the shell can read', async (shell) => {
    const { code, stdout } = await run('completion', shell);
    expect(code).toBe(0);
    for (const word of ['voxbatch', 'explain', 'poll-rate', 'lip-sync']) expect(stdout).toContain(word);
    if (!hasShell(shell)) return;
    await writeFile('script', stdout);
    await promisify(execFile)(shell, ['-n', 'script']);
  });

  it('refuses another shell', async () => {
    const { code, stderr } = await run('completion', 'tcsh');
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish.');
  });
});
