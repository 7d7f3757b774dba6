import { rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readToken } from '../../../starters/connect/api-token.ts';
import { main } from '../../../starters/main.ts';
import { readSettings } from '../../../starters/connect/settings.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { capture, openCommandLine, type CommandLine, run, json } from '../command-line.ts';

const TOKEN = 'token-that-nobody-may-see';
let simulator: Simulator;
let line: CommandLine;
beforeEach(async () => {
  simulator = await startSimulator({ token: TOKEN });
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: TOKEN });
});
afterEach(async () => {
  await line.close();
  await simulator.close();
});

describe('voices list', () => {
  it('voxbatch voices list: lists the voices of the account', async () => {
    const { code, stdout } = await run('voices', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^voice +name +provider\n(?:\S+ +\S.*\n)+$/);
    const { value } = await json('voices', 'list', '--json');
    expect(value).toContainEqual({ id: 'narrator', name: 'Narrator', provider: expect.any(String) });
  });

  it('voxbatch voices list: searches', async () => {
    const { value } = await json('voices', 'list', '--search', 'narrator', '--json');
    expect(value).toEqual([expect.objectContaining({ id: 'narrator' })]);
  });
});

describe('profile', () => {
  it('voxbatch profile: names the account and what is left, and never the token', async () => {
    const { code, stdout, stderr } = await run('profile');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^account +user_/);
    const { value } = await json('profile', '--json');
    expect(value).toMatchObject({ api_credits: 1_000_000, api: simulator.url });
    expect(stdout + stderr + JSON.stringify(value)).not.toContain(TOKEN);
  });

  it('spends nothing', async () => {
    await run('profile');
    await run('voices', 'list');
    expect(simulator.ledger()).toEqual([]);
  });

  it('takes the token from a file, white space around it aside, once, and does not print it', async () => {
    await writeFile('token', `\n ${TOKEN}\r\n`);
    Object.assign(process.env, { VOXBATCH_API_TOKEN: '', VOXBATCH_API_TOKEN_FILE: 'token' });
    const { code, stdout, stderr } = await run('profile');
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(TOKEN);
    const settings = await readSettings();
    const first = readToken(settings);
    await rm('token');
    expect([first, readToken(settings)]).toEqual([TOKEN, TOKEN]);
  });

  it.each([
    ['', /token is empty/],
    ['two words', /expected token to hold a token and nothing else/],
    [undefined, /VOXBATCH_API_TOKEN_FILE cannot be read: .*ENOENT/],
  ])('refuses a file with %j for a token, and does not print it', async (content, words) => {
    if (content !== undefined) await writeFile('token', content);
    Object.assign(process.env, { VOXBATCH_API_TOKEN: '', VOXBATCH_API_TOKEN_FILE: 'token' });
    const { code, stderr } = await run('profile');
    expect(code).toBe(5);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('two words');
    expect((await run('plan', 'x.csv')).stderr).not.toContain('two words');
  });

  it('names the file that a refused token came from: with the variable beside it nothing would run', async () => {
    await writeFile('token', 'wrong');
    Object.assign(process.env, { VOXBATCH_API_TOKEN: '', VOXBATCH_API_TOKEN_FILE: 'token' });
    const { code, stderr } = await run('profile');
    expect(code).toBe(5);
    expect(stderr).toContain('Put a token of this service into token (VOXBATCH_API_TOKEN_FILE). Nothing was spent.');
    expect(stderr).not.toContain('Set VOXBATCH_API_TOKEN');
  });

  it('refuses a token and a file with one: it cannot tell which is meant', async () => {
    await writeFile('token', TOKEN);
    process.env['VOXBATCH_API_TOKEN_FILE'] = 'token';
    const { code, stderr } = await run('profile');
    expect(code).toBe(5);
    expect(stderr).toContain('Both VOXBATCH_API_TOKEN and VOXBATCH_API_TOKEN_FILE are set');
  });

  it.each([
    [{ VOXBATCH_API_TOKEN: 'wrong' }, 'refuses the token'],
    [{ VOXBATCH_API_TOKEN: '' }, 'No API token'],
    [{ VOXBATCH_API_URL: '' }, 'No API is configured'],
  ])('with %j ends with 5 and the next step', async (env, words) => {
    Object.assign(process.env, env);
    for (const words of [['profile'], ['voices', 'list']]) {
      const { code, stdout, stderr } = await run(...words);
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain('Nothing was spent.');
    }
    expect((await run('profile')).stderr).toContain(words);
  });
});

describe('simulate', () => {
  it('prints its URL first, serves until SIGTERM, and keeps the token to itself', async () => {
    const lines = { out: '', err: '' };
    const ended = main(['simulate', '--job-ms', '5', '--port', '0'], { output: capture(lines) });
    while (!lines.err.includes('Ctrl-C')) await new Promise(setImmediate);
    const [url = ''] = lines.out.split('\n');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/open\/v1$/);
    const answer = await fetch(`${url}/user/profile`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(answer.status).not.toBe(401);
    await answer.body?.cancel();
    process.emit('SIGTERM', 'SIGTERM');
    expect(await ended).toBe(0);
    expect(lines.out + lines.err).not.toContain(TOKEN);
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each([
    ['--port', 'x', 'expected a whole number'],
    ['--job-ms', '9-1', 'expected milliseconds'],
    ['--plan', 'none.json', 'none.json'],
    ['--speed', '3', "unknown option '--speed'"],
  ])('refuses %s %s', async (flag, value, words) => {
    const { code, stderr } = await run('simulate', flag, value);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it('says that a port is taken', async () => {
    const { code, stderr } = await run('simulate', '--port', String(simulator.port));
    expect(code).toBe(2);
    expect(stderr).toContain('Choose another --port');
  });
});
