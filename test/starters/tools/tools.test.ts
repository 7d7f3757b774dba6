import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { KINDS } from '../../../contract/row-kinds.ts';
import { expectRun, json, lineForEach, run } from '../command-line.ts';

lineForEach();

describe('init', () => {
  it.each(KINDS)('writes an example of %s that can be planned', async (kind) => {
    await expectRun(`init ${kind}`, 0, { out: new RegExp(`^${kind}\\.csv\n$`), err: `voxbatch plan ${kind}.csv` });
    const { code, value } = await json(`plan ${kind}.csv`);
    expect([code, Object.keys(value['kinds'] as object)]).toEqual([0, [kind]]);
  });

  it('says that the recordings of the example voice are placeholders: their voices would be paid for', async () => {
    await expectRun('init voice', 0, { err: 'The recordings in samples are placeholders: put your own there.' });
    await expectRun('init tts', 0, { not: 'placeholders' });
  });

  it('names the file as a shell reads it', async () => {
    await expectRun(['init tts --out', "my batch's.csv"], 0, `voxbatch plan 'my batch'\\''s.csv' `);
  });

  it('never overwrites', async () => {
    await writeFile('mine.csv', 'mine');
    await expectRun('init stt --out mine.csv', 2, 'mine.csv already exists');
    expect(await readFile('mine.csv', 'utf8')).toBe('mine');
  });

  it('refuses a kind that does not exist, and a folder that is not there', async () => {
    await expectRun('init opera', 2, 'opera');
    const err = /no\/where\.csv cannot be written: .*Create its folder/;
    await expectRun('init --out no/where.csv', 2, { err, not: '..\n' });
  });
});

describe('completion', () => {
  const hasShell = (name: string): boolean => ['/bin', '/usr/bin'].some((folder) => existsSync(`${folder}/${name}`));
  const onlyWithBash = hasShell('bash') ? it : it.skip;

  /** What bash offers after these words; the last one is being typed. */
  async function offered(words: readonly string[]): Promise<string[]> {
    const { stdout: script } = await run('completion bash');
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
    ['sta', 'status'],
    ['run x.csv --sub', '--submits'],
    ['voices ', 'list show create delete help -h --help'],
    ['voices list --se', '--search'],
    ['init l', 'lip-sync'],
    ['completion z', 'zsh'],
    ['run --on-unknown ', 'hold resubmit fail'],
    ['run --voice r', ''],
    ['simulate --job-', '--job-ms --job-distribution'],
    ['plan some', ''],
  ])('bash: "%s" is completed to %s', async (words, expected) => {
    expect((await offered(words.split(' '))).join(' ')).toBe(expected);
  });

  it.each(['bash', 'zsh', 'fish'])('for %s is a script that the shell can read', async (shell) => {
    const { stdout } = await expectRun(`completion ${shell}`, 0, {
      out: ['voxbatch', 'explain', 'poll-rate', 'lip-sync'],
    });
    if (!hasShell(shell)) return;
    await writeFile('script', stdout);
    await promisify(execFile)(shell, ['-n', 'script']);
  });

  it('refuses another shell', () => expectRun('completion tcsh', 2, 'Allowed choices are bash, zsh, fish.'));
});
