import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { readToken } from '../../../starters/connect/api-token.ts';
import { main } from '../../../starters/main.ts';
import { readSettings } from '../../../starters/connect/settings.ts';
import { capture, expectRun, json, lineAtSimulator, run } from '../command-line.ts';

const line = lineAtSimulator({ token: 'token-that-nobody-may-see' });

describe('voices list', () => {
  it('voxbatch voices list: lists the voices of the account, or searches', async () => {
    await expectRun('voices list', 0, { out: /^voice +name +provider\n(?:\S+ +\S.*\n)+$/ });
    const { value } = await json('voices list');
    expect(value).toContainEqual({
      ...{ id: 'narrator', name: 'Narrator', provider: expect.any(String) },
      ...{ engines: null, state: 'ready', created_at: null },
    });
    const { value: found } = await json('voices list --search narrator');
    expect(found).toEqual([expect.objectContaining({ id: 'narrator' })]);
  });
});

describe('profile', () => {
  const takeFile = (): void => {
    Object.assign(process.env, { VOXBATCH_API_TOKEN: '', VOXBATCH_API_TOKEN_FILE: 'token' });
  };

  it('voxbatch profile: names the account and what is left, and never the token', async () => {
    const { token, url } = line.simulator;
    await expectRun('profile', 0, { out: /^account +user_/, not: token });
    const { value } = await json('profile');
    expect(value).toMatchObject({ api_credits: 1_000_000, api: url });
    expect(JSON.stringify(value)).not.toContain(token);
  });

  it('takes the token from a file, white space around it aside, once, and does not print it', async () => {
    const { token } = line.simulator;
    await writeFile('token', `\n ${token}\r\n`);
    takeFile();
    await expectRun('profile', 0, { not: token });
    const settings = await readSettings();
    const first = readToken(settings);
    await rm('token');
    expect([first, readToken(settings)]).toEqual([token, token]);
  });

  it.each([
    ['', /token is empty/],
    ['two words', /expected token to hold a token and nothing else/],
    [undefined, /VOXBATCH_API_TOKEN_FILE cannot be read: .*ENOENT/],
    // With the variable beside it nothing would run.
    ['wrong', /^(?!.*Set VOXBATCH_API_TOKEN).*Put a token of this service into token \(VOXBATCH_API_TOKEN_FILE\)\./s],
  ])('refuses a file with %j for a token, names the file, and does not print the token', async (content, words) => {
    if (content !== undefined) await writeFile('token', content);
    takeFile();
    await expectRun('profile', 5, { err: words, not: /two words|wrong/ });
    expect((await run('plan x.csv')).stderr).not.toContain('two words');
  });

  it('refuses a token and a file with one: it cannot tell which is meant', async () => {
    process.env['VOXBATCH_API_TOKEN_FILE'] = 'token';
    await expectRun('profile', 5, 'Both VOXBATCH_API_TOKEN and VOXBATCH_API_TOKEN_FILE are set');
  });

  it.each([
    [{ VOXBATCH_API_TOKEN: 'wrong' }, 'refuses the token'],
    [{ VOXBATCH_API_TOKEN: '' }, 'No API token'],
    [{ VOXBATCH_API_URL: '' }, 'No API is configured'],
  ])('with %j ends with 5 and the next step', async (env, words) => {
    Object.assign(process.env, env);
    for (const command of ['profile', 'voices list'])
      await expectRun(command, 5, { out: '', err: [words, 'Nothing was spent.'] });
  });
});

describe('simulate', () => {
  it('prints its URL first, serves until SIGTERM, and keeps the token to itself', async () => {
    const lines = { out: '', err: '' };
    const { token } = line.simulator;
    const ended = main(['simulate', '--job-ms', '5', '--port', '0'], { output: capture(lines) });
    while (!lines.err.includes('Ctrl-C')) await new Promise(setImmediate);
    const [url = ''] = lines.out.split('\n');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/open\/v1$/);
    const answer = await fetch(`${url}/user/profile`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).not.toBe(401);
    await answer.body?.cancel();
    process.emit('SIGTERM', 'SIGTERM');
    expect(await ended).toBe(0);
    expect(lines.out + lines.err).not.toContain(token);
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each([
    ['--port x', 'expected a whole number'],
    ['--job-ms 9-1', 'expected milliseconds'],
    ['--plan none.json', 'none.json'],
    ['--speed 3', "unknown option '--speed'"],
  ])('refuses %s', (flag, words) => expectRun(`simulate ${flag}`, 2, words));

  it('says that a port is taken', async () => {
    await expectRun(`simulate --port ${line.simulator.port}`, 2, 'Choose another --port');
  });
});
