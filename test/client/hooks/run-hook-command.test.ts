import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { runHookCommand } from '../../../client/hooks/run-hook-command.ts';
import { compiledOf } from '../../compiled.mjs';
import { folderForEach } from '../../support/fresh-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const never = new AbortController().signal;

const SECRETS = [
  'VOXBATCH_API_TOKEN',
  'VOXBATCH_API_TOKEN_FILE',
  'VOXBATCH_NOTIFY_SECRET',
  'VOXBATCH_PAYLOAD_KEYS',
  'VOXBATCH_PAYLOAD_KEYS_FILE',
  'VOXBATCH_CODEC_TOKEN',
  'TEMPORAL_API_KEY',
];

const folder = folderForEach();
afterEach(() => {
  for (const name of [...SECRETS, 'VOXBATCH_HOME', 'VOXBATCH_LEDGER']) Reflect.deleteProperty(process.env, name);
});

/** Runs a command in a shell, with the folder in `$F`. */
const run = (command: string, signal = never): Promise<string | undefined> =>
  runHookCommand({ command, environment: { F: folder(), VOXBATCH_BATCH: 'b' }, input: '{"batch":"b"}\n', signal });

describe('runHookCommand', () => {
  it('gives the command its figures and its input, and no secret', async () => {
    for (const name of SECRETS) process.env[name] = 'hush';
    process.env['VOXBATCH_HOME'] = '/srv/records';
    process.env['VOXBATCH_LEDGER'] = 'postgres://ann:hush@db.example/x?schema=y&sslpassword=hush';
    expect(await run('cat > "$F/input"; env > "$F/env"')).toBeUndefined();
    expect(await readFile(folder('input'), 'utf8')).toBe('{"batch":"b"}\n');
    const env = await readFile(folder('env'), 'utf8');
    expect(env).toContain('VOXBATCH_BATCH=b\n');
    expect(env).toContain('VOXBATCH_HOME=/srv/records\n');
    // So that a command that it runs finds the ledger, with a password of its own.
    expect(env).toContain('VOXBATCH_LEDGER=postgres://ann@db.example/x?schema=y\n');
    expect(env).not.toContain('hush');
  });

  it('says how the command failed', async () => {
    expect(await run('exit 3')).toBe('it ended with exit code 3');
    expect(await run('kill -9 $$')).toBe('it was killed by SIGKILL');
    expect(await run('no-such-command 2> /dev/null')).toBe('it ended with exit code 127');
  });

  it('does not mind a command that reads nothing', async () => {
    const input = 'x'.repeat(1_000_000);
    expect(await runHookCommand({ command: 'true', environment: {}, input, signal: never })).toBeUndefined();
  });

  it('is killed by the signal, with what it started', async () => {
    const ending = new AbortController();
    const running = run('sleep 600 & echo $! > "$F/child"; wait', ending.signal);
    await waitFor(async () => ((await stat(folder('child')).catch(() => undefined))?.size ?? 0) > 0);
    ending.abort();
    await expect(running).rejects.toThrow('abort');
    const pid = Number(await readFile(folder('child'), 'utf8'));
    await waitFor(async () => !(await isAlive(pid)));
  });

  it('ends with a process that exits at once', async () => {
    const script = `import { runHookCommand } from '${compiledOf('client/hooks/run-hook-command.ts')}';
      process.stdin.once('data', () => process.exit(7));
      const command = 'echo $$ > "$F/pid.part"; mv "$F/pid.part" "$F/pid"; sleep 600 & wait';
      await runHookCommand({ command, environment: { F: ${JSON.stringify(folder())} }, input: '', signal: new AbortController().signal });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'exit');
    await waitFor(async () => (await stat(folder('pid')).catch(() => undefined)) !== undefined);
    const pid = Number(await readFile(folder('pid'), 'utf8'));
    child.stdin.write('exit\n');
    expect(await ended).toEqual([7, null]);
    await waitFor(async () => !(await isAlive(pid)));
  });
});

/** A zombie has ended, and only waits to be reaped. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(status);
}
