import { describe, expect, it } from '@jest/globals';
import { encodeSilence } from '../../simulator/media/encode-wav.ts';
import { openSimulator, type Client } from './with-simulator.ts';

/** Creates a voice, and returns its id. */
async function create({ simulator }: Client): Promise<string> {
  const body = new FormData();
  body.set('name', 'Zoe');
  body.set('audioFiles', new Blob([new Uint8Array(encodeSilence(1))], { type: 'audio/wav' }), 'zoe.wav');
  const headers = { authorization: `Bearer ${simulator.token}` };
  const answer = await fetch(`${simulator.url}/voices`, { method: 'POST', body, headers });
  expect(answer.ok).toBe(true);
  return simulator.ledger().at(-1)?.jobId ?? '';
}

const speak = ({ call }: Client, voiceId: string, engineModelId?: string): ReturnType<Client['call']> =>
  call('POST', '/speech/tts/jobs', {
    text: 'Hello.',
    voiceId,
    ...(engineModelId === undefined ? {} : { engineModelId }),
  });

describe('a voice in training', () => {
  it.each([
    ['status', '"status":"training"'],
    ['state', '"state":"training"'],
    ['trained', '"trained":false'],
  ])('is listed as such by %s, and refuses speech, free', async (shape, words) => {
    const client = await openSimulator({ trainMs: [60_000, 60_000], shape: `voice.training=${shape}` });
    const id = await create(client);
    expect((await client.call('GET', '/voices?search=Zoe')).text).toContain(words);
    expect(await speak(client, id)).toMatchObject({ status: 400 });
    expect(client.simulator.ledger()).toHaveLength(1);
  });

  it('speaks when it is over', async () => {
    const client = await openSimulator({ trainMs: [1, 1], shape: 'voice.training=status' });
    const id = await create(client);
    while (!(await client.call('GET', '/voices?search=Zoe')).text.includes('"status":"ready"'));
    expect(await speak(client, id)).toMatchObject({ status: 202 });
  });
});

it('a voice of the list tells its engines, and refuses others, free', async () => {
  const client = await openSimulator({ voices: 'listed', shape: 'voice.engines=modelIds' });
  expect((await client.call('GET', '/voices?search=Lin')).text).toContain('"modelIds":["qwen3-tts-flash"');
  expect(await speak(client, 'narrator', 'qwen3-tts-flash')).toMatchObject({ status: 400 });
  expect(client.simulator.ledger()).toEqual([]);
  expect(await speak(client, 'narrator', 'fishaudio-s2pro')).toMatchObject({ status: 202 });
});
