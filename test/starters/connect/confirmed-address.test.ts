import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isConfirmed, rememberConfirmed } from '../../../client/trust/folder-config.ts';
import { openCommandLine, type CommandLine, run } from '../command-line.ts';

const URL_OF_FILE = 'http://127.0.0.1:9/api/open/v1';
const USE = { baseUrl: URL_OF_FILE, token: 'token-of-mine' };
let line: CommandLine;

beforeEach(async () => {
  line = await openCommandLine({ VOXBATCH_API_TOKEN: USE.token });
  await writeFile('voxbatch.config.json', JSON.stringify({ api: { url: URL_OF_FILE } }));
});
afterEach(async () => {
  await line.close();
});

/** Port 9 refuses connections: a command that got there ends with 5. */
const REACHED = { code: 5 };

describe('an address that only a config file names', () => {
  it('gets no token off a terminal, with --yes neither, and the command says what confirms it', async () => {
    for (const args of [['profile'], ['up'], ['run', 'lines.csv', '--yes']]) {
      await writeFile('lines.csv', 'text,voice\nHello,anna\n');
      const { code, stderr } = await run(...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain(`run: export VOXBATCH_API_URL=${URL_OF_FILE}`);
      expect(stderr).not.toContain(USE.token);
    }
  });

  it('is used where the environment or a flag names it, too', async () => {
    expect(await run('profile', '--api-url', URL_OF_FILE)).toMatchObject(REACHED);
    process.env['VOXBATCH_API_URL'] = URL_OF_FILE;
    expect(await run('profile')).toMatchObject(REACHED);
    delete process.env['VOXBATCH_API_URL'];
  });

  it('is used once it was confirmed, with that token and at that origin only', async () => {
    rememberConfirmed(process.env, USE);
    expect(await run('profile')).toMatchObject(REACHED);
    expect(isConfirmed(process.env, { ...USE, token: 'another' })).toBe(false);
    expect(isConfirmed(process.env, { ...USE, baseUrl: 'http://127.0.0.1:10/api/open/v1' })).toBe(false);
    rememberConfirmed(process.env, { ...USE, token: 'another' });
    expect(isConfirmed(process.env, USE)).toBe(true);
    const file = join('.state', 'voxbatch', 'confirmed-addresses.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(USE.token);
  });
});
