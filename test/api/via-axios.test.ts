import { describe, expect, it, jest } from '@jest/globals';
import { always, clientOf, serve, SPEECH_JOB } from '../support/api-server.ts';

describe('a paid request whose client can not be had', () => {
  it('is not sent where loading it took too long, and is sent the next time', async () => {
    const server = await serve(always(202, { id: 't1' }));
    const api = clientOf(server.origin);
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 3_000));
    expect(await api.send(SPEECH_JOB, {})).toMatchObject({
      verdict: 'not-accepted',
      failure: { class: 'NotSent', cause: 'no connection (no client) from POST /speech/tts/jobs' },
    });
    expect(server.connections()).toBe(0);
    jest.restoreAllMocks();
    expect(await api.send(SPEECH_JOB, {})).toMatchObject({ verdict: 'accepted' });
  });
});
