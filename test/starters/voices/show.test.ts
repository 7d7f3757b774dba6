import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { openCommandLine, type CommandLine, run, json } from '../command-line.ts';

let simulator: Simulator;
let line: CommandLine;
beforeEach(async () => {
  simulator = await startSimulator({ voices: 'listed', shape: 'voice.engines=modelIds' });
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: simulator.token });
});
afterEach(async () => {
  await line.close();
  await simulator.close();
});

describe('voices show', () => {
  it('voxbatch voices show: tells what the list says of a voice, by its id or name', async () => {
    const { code, stdout } = await run('voices', 'show', 'name:lin');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^voice +0f9d2c7ab4e84c1f9a6e3d5b7c8e1a20\nname +Lin\nprovider +qwen\nengines +qwen3-tts/);
    expect(stdout).toMatch(/needed by +no open batch\n$/);
    const { value } = await json('voices', 'show', 'narrator', '--json');
    expect(value).toEqual({
      id: 'narrator',
      name: 'Narrator',
      provider: 'fishaudio',
      engines: expect.arrayContaining([expect.any(String)]),
      state: 'ready',
      used_by: [],
    });
    expect(simulator.ledger()).toEqual([]);
  });

  it.each([
    ['narator', 'The nearest is narrator.'],
    ['name:Story teller', 'The nearest is name:Storyteller.'],
    ['Lin', 'The nearest is name:Lin.'],
  ])('says that %s is no voice of the list, and which is most like it', async (asked, words) => {
    const { code, stderr } = await run('voices', 'show', asked);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
  });
});

describe('--api-dialect legacy', () => {
  async function asked(): Promise<readonly string[]> {
    const answer = await fetch(new URL('/__simulator/stats', simulator.url));
    return Object.keys(((await answer.json()) as { endpoints: object }).endpoints);
  }

  it('voxbatch voices list: reads the older paths alone, also if the configuration says so', async () => {
    const flag = await run('voices', 'list', '--search', 'ada', '--api-dialect', 'legacy');
    expect(flag).toMatchObject({ code: 0 });
    expect(flag.stdout.split('\n').slice(1)).toEqual([expect.stringMatching(/Ada *$/), '']);
    await writeFile('voxbatch.config.json', JSON.stringify({ apiDialect: 'legacy' }));
    expect((await run('voices', 'list', '--search', 'ada')).stdout).toBe(flag.stdout);
    expect(await asked()).toContain('POST /api/open/list-models');
    expect(await asked()).not.toContain('GET /voices');
    expect(await run('voices', 'list', '--api-dialect', 'legacy=20%')).toMatchObject({ code: 2 });
  });

  it.each([
    [['--search', '%_[é&=?#'], 'No voice matches.'],
    [['--search', "'; 🎉"], 'No voice matches.'],
    [['--provider', 'nobody'], 'No voice matches.'],
    [['--provider', 'fishaudio', '--api-dialect', 'legacy'], 'the legacy paths do not tell the providers of voices'],
    [['--search', 'a+b', '--api-dialect', 'legacy'], 'No voice matches.'],
  ])('voxbatch voices list: says that nothing matches %j, instead of a table of nothing', async (words, said) => {
    const { code, stdout, stderr } = await run('voices', 'list', ...words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(said);
  });

  it('voxbatch voices show: looks the voice up there', async () => {
    expect(await run('voices', 'show', 'name:Lin', '--api-dialect', 'legacy')).toMatchObject({ code: 0 });
    expect(await asked()).not.toContain('GET /voices');
  });
});

describe('voices list', () => {
  it('voxbatch voices list: only voices of a provider', async () => {
    const { stdout } = await run('voices', 'list', '--provider', 'qwen');
    expect(stdout.split('\n').slice(1)).toEqual([expect.stringMatching(/Lin +qwen$/), '']);
  });
});
