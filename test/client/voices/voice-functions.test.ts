import { afterEach, describe, expect, it } from '@jest/globals';
import { openVoxbatch, type Voxbatch } from '../../../client/index.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { loadSpeaking } from '../../support/load-speaking.ts';

const home = folderForEach();
let simulator: Simulator;
let voxbatch: Voxbatch;
afterEach(async () => {
  await voxbatch.close();
  await simulator.close();
});

async function open(options: SimulatorOptions = {}): Promise<Voxbatch> {
  simulator = await startSimulator({ voiceCount: 250, ...options });
  voxbatch = openVoxbatch({ api: { url: simulator.url, token: simulator.token }, home: home() });
  return voxbatch;
}

/** Loads a batch of one row that speaks with a voice. */
async function load(voice: string): Promise<void> {
  const { userId: account } = await voxbatch.profile();
  await loadSpeaking(voice, { path: home('ledger.db'), apiUrl: simulator.url, account });
}

describe('voices in the library', () => {
  it('GET /voices: are listed from all pages, and by search', async () => {
    await open();
    const all = await voxbatch.listVoices();
    const ids = all.type === 'listed' ? all.voices.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['narrator', 'voice-1', 'voice-250']));
    const found = await voxbatch.listVoices({ search: 'Voice 250' });
    expect(found.type === 'listed' ? found.voices.map(({ id }) => id) : found).toEqual(['voice-250']);
  });

  it('are shown by id or name, with the open batches that need them', async () => {
    await open({ voiceCount: 2 });
    await load('voice-1');
    expect(await voxbatch.showVoice('name:voice 1')).toEqual({
      type: 'found',
      voice: expect.objectContaining({ id: 'voice-1', name: 'Voice 1' }),
      usedBy: [{ batch: 'lines', speaking: 1, making: 0 }],
    });
    expect(await voxbatch.showVoice('narator')).toMatchObject({ type: 'unlisted', nearest: 'narrator' });
  });

  it('are deleted once, and not while an open batch needs them', async () => {
    await open({ voiceCount: 2 });
    await load('voice-1');
    const users = [{ batch: 'lines', speaking: 1, making: 0 }];
    expect(await voxbatch.deleteVoice('name:voice 1')).toEqual({ type: 'in-use', users });
    expect(await voxbatch.deleteVoice('voice-2')).toEqual({ type: 'deleted' });
    expect(await voxbatch.deleteVoice('voice-2')).toEqual({ type: 'missing' });
    await expect(voxbatch.deleteVoice('..')).rejects.toMatchObject({ problem: { type: 'bad-option' } });
    expect(await voxbatch.deleteVoice('name:nobody')).toMatchObject({ type: 'unlisted' });
    const left = await voxbatch.listVoices({ search: 'Voice ' });
    expect(left.type === 'listed' ? left.voices.map(({ id }) => id) : left).toContain('voice-1');
    expect(simulator.ledger()).toEqual([]);
  });

  it('are made of recordings: without one, nothing is sent', async () => {
    await open();
    expect(await voxbatch.createVoice('Ada', { samples: ['nowhere.wav'] })).toMatchObject({ type: 'faulty' });
    expect(await voxbatch.createVoice('Ada', { samples: [] })).toMatchObject({ type: 'faulty' });
    expect(simulator.ledger()).toEqual([]);
  });
});

describe('the account in the library', () => {
  it('GET /profile: is read anew each time', async () => {
    await open({ credits: 500, shape: 'profile.extra=given' });
    expect(await voxbatch.profile()).toMatchObject({ quotaRemaining: 500 });
    await expect(voxbatch.setProfile({})).rejects.toMatchObject({ problem: { type: 'bad-option', option: 'fields' } });
  });

  it('POST /profile: tells what became of each field', async () => {
    await open({
      shape: 'profile.webhook=webhookUrl,profile.clear=null,profile.unknown=ignored',
    });
    const url = 'https://hooks.example.org/long-secret';
    expect(await voxbatch.setWebhook(url)).toMatchObject({ fields: [{ name: 'webhookUrl', result: 'set' }] });
    expect((await voxbatch.profile()).webhookUrl).toBe(url);
    expect(await voxbatch.setProfile({ nobody: 'knows' })).toMatchObject({
      fields: [{ name: 'nobody', result: 'unseen' }],
    });
    expect(await voxbatch.setWebhook(null)).toMatchObject({ fields: [{ name: 'webhookUrl', result: 'set' }] });
    expect((await voxbatch.profile()).webhookUrl).toBeNull();
    const refused = voxbatch.setWebhook('ftp://hooks.example.org/long-secret');
    await expect(refused).rejects.toMatchObject({ problem: { type: 'bad-option', option: 'url' } });
    await expect(refused).rejects.not.toThrow('long-secret');
  });
});
