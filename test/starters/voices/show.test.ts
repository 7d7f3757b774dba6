import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectRun, json, lineAtSimulator } from '../command-line.ts';

const line = lineAtSimulator({ voices: 'listed', shape: 'voice.engines=modelIds' });

describe('voices show', () => {
  it('voxbatch voices show: tells what the list says of a voice, by its id or name', async () => {
    const lin = /^voice +0f9d2c7ab4e84c1f9a6e3d5b7c8e1a20\nname +Lin\nprovider +qwen\nengines +qwen3-tts/;
    await expectRun('voices show name:lin', 0, { out: [lin, /needed by +no open batch\n$/] });
    const { value } = await json('voices show narrator');
    const engines: unknown = expect.arrayContaining([expect.any(String)]);
    const narrator = { id: 'narrator', name: 'Narrator', provider: 'fishaudio', engines };
    expect(value).toEqual({ ...narrator, state: 'ready', created_at: null, used_by: [] });
  });

  it.each([
    ['narator', 'The nearest is narrator.'],
    ['name:Story teller', 'The nearest is name:Storyteller.'],
    ['Lin', 'The nearest is name:Lin.'],
  ])('says that %s is no voice of the list, and which is most like it', async (asked, words) => {
    await expectRun(['voices show', asked], 2, words);
  });
});

describe('voices list', () => {
  it('voxbatch voices list: only voices of a provider', async () => {
    await expectRun('voices list --provider qwen', 0, { out: /^.*\n.*Lin +qwen\n$/ });
  });

  it.each([
    [['--search', '%_[é&=?#'], 'No voice matches.'],
    [['--search', "'; 🎉"], 'No voice matches.'],
    [['--provider', 'nobody'], 'No voice matches.'],
    [['--provider', 'fishaudio', '--api-dialect', 'legacy'], 'the legacy paths do not tell the providers of voices'],
    [['--search', 'a+b', '--api-dialect', 'legacy'], 'No voice matches.'],
  ])('voxbatch voices list: says that nothing matches %j, instead of a table of nothing', async (words, err) => {
    await expectRun(['voices list', ...words], 0, { out: '', err });
  });
});

describe('--api-dialect legacy', () => {
  async function asked(): Promise<readonly string[]> {
    const answer = await fetch(new URL('/__simulator/stats', line.simulator.url));
    return Object.keys(((await answer.json()) as { endpoints: object }).endpoints);
  }

  it('voxbatch voices list: reads the older paths alone, also if the configuration says so', async () => {
    const out = /^.*\n.*Ada *\n$/;
    await expectRun('voices list --search ada --api-dialect legacy', 0, { out });
    await writeFile('voxbatch.config.json', JSON.stringify({ apiDialect: 'legacy' }));
    await expectRun('voices list --search ada', 0, { out });
    expect(await asked()).toContain('POST /api/open/list-models');
    expect(await asked()).not.toContain('GET /voices');
    await expectRun('voices list --api-dialect legacy=20%', 2);
  });

  it('voxbatch voices show: looks the voice up there', async () => {
    await expectRun('voices show name:Lin --api-dialect legacy', 0);
    expect(await asked()).not.toContain('GET /voices');
  });
});
