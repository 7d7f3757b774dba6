import { describe, expect, it } from '@jest/globals';
import type { PaidRequest } from '../../api/speech-api.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { readMultipart } from '../../simulator/routes/read-multipart.ts';
import { always, clientOf, serve, TOKEN, type SeenRequest } from '../support/api-server.ts';
import { openRiff } from './bodies.ts';

/*
 * What is sent on the legacy paths: their own names, and none of v1. What comes back is in test/api/fixtures, what is read in
 * test/api/legacy-reads.test.ts.
 */

const OF_V1 = /voiceId|engineModelId|videoUrl|audioUrl|modelId|\/v1\//;

async function sentFor(operation: PaidRequest['operation'], spec: RowSpec): Promise<SeenRequest> {
  const server = await serve(always(400, { error: 'Only looking' }));
  const api = clientOf(server.origin, { dialect: 'legacy' });
  const request: PaidRequest = { operation, spec, idempotencyKey: 'key-1', isRepeat: false, trust503: true };
  const verdict = await api.send(request, { openFile: openRiff, receive: () => Promise.resolve() });
  expect(verdict).toMatchObject({ verdict: 'rejected' });
  const [sent, ...others] = server.seen;
  if (sent === undefined) throw new Error('nothing was sent');
  expect(others).toEqual([]);
  expect(sent.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'idempotency-key': 'key-1' });
  expect(sent.body).not.toContain(TOKEN);
  expect(`${sent.url} ${sent.body}`).not.toMatch(OF_V1);
  return sent;
}

describe('the paid requests of the legacy paths', () => {
  it('POST /api/open/tts: names voice and engine as reference_id and version', async () => {
    const spec = { kind: 'tts', text: 'Hello', voice: 'narrator', engine: 's1', format: 'wav', speed: 1.2 } as const;
    const sent = await sentFor('speech-sync', { ...spec, language: 'en', extra: { volume: -3, emotion: 'calm' } });
    expect([sent.method, sent.url]).toEqual(['POST', '/api/open/tts']);
    expect(JSON.parse(sent.body)).toEqual({
      ...{ text: 'Hello', reference_id: 'narrator', version: 's1', format: 'wav', speed: 1.2, language: 'en' },
      ...{ volume: -3, emotion: 'calm' },
    });
  });

  it('POST /api/open/tts: leaves out what a row does not say, and asks for no cached link', async () => {
    const sent = await sentFor('speech-sync', { kind: 'tts', text: 'Hello', voice: 'narrator', extra: {} });
    expect(JSON.parse(sent.body)).toEqual({ text: 'Hello', reference_id: 'narrator' });
  });

  it('POST /api/open/lip-sync/create: names its media as video_url and audio_url', async () => {
    const [video, audio] = ['https://x.example/v.mp4', 'https://x.example/a.mp3'];
    const sent = await sentFor('lip-sync-job', { kind: 'lip-sync', video, audio, extra: {} });
    expect([sent.method, sent.url]).toEqual(['POST', '/api/open/lip-sync/create']);
    expect(JSON.parse(sent.body)).toEqual({ video_url: video, audio_url: audio });
  });

  it('POST /api/open/create-model: sends a form with audioFiles, once for each recording', async () => {
    const sample = { bytes: 4, sha256: '', extension: 'wav', seconds: 1 };
    const samples = ['a.wav', 'b.wav'].map((path) => ({ ...sample, path }));
    const told = { name: 'Ada', description: 'Warm', visibility: 'private' } as const;
    const sent = await sentFor('voice', { kind: 'voice', ...told, samples, extra: {} });
    expect([sent.method, sent.url]).toEqual(['POST', '/api/open/create-model']);
    const parts = readMultipart(sent.headers['content-type'] ?? '', Buffer.from(sent.body)) ?? [];
    expect(parts.map(({ name }) => name)).toEqual(['name', 'description', 'visibility', 'audioFiles', 'audioFiles']);
  });
});
