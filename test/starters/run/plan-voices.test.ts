import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { openCommandLine, type CommandLine, type Ended, run } from '../command-line.ts';

const LINES =
  'id,kind,text,voice,audio\na,tts,One,narrator,\nb,tts,Two,narator,\nc,tts,Three,narator,\nd,stt,,,https://media.example/d.mp3\n';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const plan = (env: Record<string, string>, ...words: string[]): Promise<Ended> => planLines(LINES, env, words);

/** Plans a manifest with these settings. */
async function planLines(lines: string, env: Record<string, string>, words: readonly string[]): Promise<Ended> {
  const line: CommandLine = await openCommandLine(env);
  try {
    await writeFile('lines.csv', lines);
    return await run(...words, 'lines.csv');
  } finally {
    await line.close();
  }
}

const api = (): Record<string, string> => ({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: simulator.token });

describe('voices that the API does not list', () => {
  it.each([[['plan']], [['run', '--dry-run']]])('are warned of by %j, and do not stop it', async (words) => {
    const { code, stderr } = await plan(api(), ...words);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `warning: line 3, column voice: "narator" is not in the API's list of voices; the nearest is narrator (voxbatch voices list) (2 rows)\n`,
    );
    expect(stderr).not.toContain('"narrator"');
  });

  it('are warned of by run before it asks or pays', async () => {
    const { code, stderr } = await plan(api(), 'run', '--confirm', '0', '--assume-seconds', '2');
    expect(code).toBe(3);
    const [warning, refusal] = ['"narator" is not in the API\'s list of voices', 'Not confirmed'].map((words) =>
      stderr.indexOf(words),
    );
    expect(warning).toBeGreaterThan(-1);
    expect(warning).toBeLessThan(refusal ?? -1);
    expect(simulator.ledger()).toEqual([]);
  });

  it('are among the warnings for machines', async () => {
    const { stdout } = await plan(api(), 'plan', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [{ line: 3, column: 'voice', rows: 2 }] });
  });

  it.each([
    ['without an API', {}],
    ['with a wrong token', { VOXBATCH_API_TOKEN: 'wrong' }],
    ['where the API is down', { VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1', VOXBATCH_API_TOKEN: 'token' }],
  ])('are not known %s, which is no error', async (_, env) => {
    const { code, stderr } = await plan(Object.keys(env).length === 1 ? { ...api(), ...env } : env, 'plan');
    expect(code).toBe(0);
    expect(stderr).not.toContain('list of voices');
  });
});

describe('voices that are named', () => {
  const NAMED = 'id,text,voice\na,One,name:Narrator\nb,Two,name:ada\n';

  it('are looked up by plan', async () => {
    const { code, stderr } = await planLines(NAMED, api(), ['plan']);
    expect(code).toBe(0);
    expect(stderr).not.toContain('voice');
  });

  it('are refused by run if there is none, with line, id and column, before anything is recorded', async () => {
    const { code, stderr } = await planLines(`${NAMED}c,Three,name:Adda\n`, api(), ['run']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `line 4, id c, column voice: expected a voice of the API's list, by its name; the nearest is "name:Ada" (voxbatch voices list); got "name:Adda"\n`,
    );
    expect(stderr).toContain('lines.csv has a problem. Nothing was sent. Nothing was spent.');
    expect(simulator.ledger()).toEqual([]);
  });

  it('are told together with all else that is wrong, in one round', async () => {
    const odd = 'id,text,voice,speed\na,One,name:Nobody,1\nb,Two,name:Nobodi,7\nc,Three,name:Ada,9\n';
    for (const command of ['plan', 'run']) {
      const { code, stderr } = await planLines(odd, api(), [command]);
      expect(code).toBe(2);
      expect(stderr.match(/line \d+, id \w, column \w+/g)).toEqual([
        'line 2, id a, column voice',
        'line 3, id b, column speed',
        'line 3, id b, column voice',
        'line 4, id c, column speed',
      ]);
      expect(stderr).toContain('lines.csv has 4 problems. Nothing was sent. Nothing was spent.');
    }
  });

  it('are not missed because the row that makes them is no good', async () => {
    const maker = 'id,kind,text,voice,name,samples\na,tts,One,name:Eve,,\nb,voice,,,Eve,lost.wav\n';
    const { code, stderr } = await planLines(maker, api(), ['plan']);
    expect(code).toBe(2);
    expect(stderr).toContain('lines.csv has a problem.');
    expect(stderr).toContain('line 3, id b, column samples');
    const unclear = maker.replace('b,voice', 'b,voyce');
    expect((await planLines(unclear, api(), ['plan'])).stderr).toContain('lines.csv has a problem.');
  });

  it('are left out of what is wrong where the list cannot be read', async () => {
    const env = { VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1', VOXBATCH_API_TOKEN: 'token' };
    const { code, stderr } = await planLines('id,text,voice,speed\na,One,name:Nobody,7\n', env, ['plan']);
    expect(code).toBe(2);
    expect(stderr).toContain('lines.csv has a problem.');
  });

  it('cannot be looked up where the API is down', async () => {
    const env = { VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1', VOXBATCH_API_TOKEN: 'token' };
    const { code, stderr } = await planLines(NAMED, env, ['plan']);
    expect(code).toBe(5);
    expect(stderr).toContain(
      "The manifest names 2 voices (name:, first in line 2), and the API's list of voices cannot",
    );
    expect(stderr).toContain('Nothing was spent.');
  });

  it('are not looked up without an API, and plan says so', async () => {
    const { code, stderr } = await planLines(NAMED, {}, ['plan']);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: line 2, column voice: without an API and a token nobody can tell');
  });
});
