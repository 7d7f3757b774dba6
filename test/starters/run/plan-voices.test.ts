import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { expectRefused, expectRun, json, lineAtSimulator } from '../command-line.ts';

lineAtSimulator();

const AWAY = { VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1' };
const NO_API = { VOXBATCH_API_URL: '', VOXBATCH_API_TOKEN: '' };

const write = (lines: string, env: NodeJS.ProcessEnv = {}): Promise<void> => {
  Object.assign(process.env, env);
  return writeFile('lines.csv', lines);
};

describe('voices that the API does not list', () => {
  const LINES =
    'id,kind,text,voice,audio\na,tts,One,narrator,\nb,tts,Two,narator,\nc,tts,Three,narator,\nd,stt,,,https://media.example/d.mp3\n';

  it('are warned of by plan, and do not stop it', async () => {
    await write(LINES);
    const warning = `warning: line 3, column voice: "narator" is not in the API's list of voices; the nearest is narrator (voxbatch voices list) (2 rows)\n`;
    await expectRun('plan lines.csv', 0, { err: warning, not: '"narrator"' });
    expect((await json('plan lines.csv')).value).toMatchObject({ warnings: [{ line: 3, column: 'voice', rows: 2 }] });
  });

  it('are warned of by run before it asks or pays', async () => {
    await write(LINES);
    const err = /"narator" is not in the API's list of voices[^]*Not confirmed/;
    await expectRun('run lines.csv --confirm 0 --assume-seconds 2', 3, err);
  });

  it.each([
    ['without an API', NO_API],
    ['with a wrong token', { VOXBATCH_API_TOKEN: 'wrong' }],
    ['where the API is down', AWAY],
  ])('are not known %s, which is no error', async (_, env) => {
    await write(LINES, env);
    await expectRun('plan lines.csv', 0, { not: 'list of voices' });
  });
});

describe('voices that are named', () => {
  const NAMED = 'id,text,voice\na,One,name:Narrator\nb,Two,name:ada\n';

  it('are looked up by plan', async () => {
    await write(NAMED);
    const { stderr } = await expectRun('plan lines.csv', 0);
    expect(stderr).not.toContain('voice');
  });

  it('are refused by run if there is none, with line, id and column, before anything is recorded', async () => {
    await write(`${NAMED}c,Three,name:Adda\n`);
    await expectRefused('run lines.csv', [
      `line 4, id c, column voice: expected a voice of the API's list, by its name; the nearest is "name:Ada" (voxbatch voices list); got "name:Adda"\n`,
      'lines.csv has a problem. Nothing was sent. Nothing was spent.',
    ]);
  });

  it.each(['plan', 'run'])('are told together with all else that is wrong, in one round: %s', async (command) => {
    await write('id,text,voice,speed\na,One,name:Nobody,1\nb,Two,name:Nobodi,7\nc,Three,name:Ada,9\n');
    const { stderr } = await expectRefused(`${command} lines.csv`, 'lines.csv has 4 problems. Nothing was sent.');
    const at = ['2, id a, column voice', '3, id b, column speed', '3, id b, column voice', '4, id c, column speed'];
    expect(stderr.match(/(?<=line )\d+, id \w, column \w+/g)).toEqual(at);
  });

  it('are not missed because the row that makes them is no good', async () => {
    const maker = 'id,kind,text,voice,name,samples\na,tts,One,name:Eve,,\nb,voice,,,Eve,lost.wav\n';
    await write(maker);
    await expectRun('plan lines.csv', 2, ['lines.csv has a problem.', 'line 3, id b, column samples']);
    await write(maker.replace('b,voice', 'b,voyce'));
    await expectRun('plan lines.csv', 2, 'lines.csv has a problem.');
  });

  it('are left out of what is wrong where the list cannot be read', async () => {
    await write('id,text,voice,speed\na,One,name:Nobody,7\n', AWAY);
    await expectRun('plan lines.csv', 2, 'lines.csv has a problem.');
  });

  it('cannot be looked up where the API is down', async () => {
    await write(NAMED, AWAY);
    const why = "The manifest names 2 voices (name:, first in line 2), and the API's list of voices cannot";
    await expectRefused('plan lines.csv', why, 4);
  });

  it('are not looked up without an API, and plan says so', async () => {
    await write(NAMED, NO_API);
    const warning = 'warning: line 2, column voice: without an API and a token nobody can tell';
    await expectRun('plan lines.csv', 0, warning);
  });
});
