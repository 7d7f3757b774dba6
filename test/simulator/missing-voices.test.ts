import { describe, expect, it } from '@jest/globals';
import { openSimulator } from './with-simulator.ts';

const JOBS = '/speech/tts/jobs';

describe('speech by a voice that does not exist', () => {
  it.each([
    ['400', JOBS, 400],
    ['404', JOBS, 404],
    // Only where the answer would be the sound was a success with an error in it ever seen.
    ['200', JOBS, 400],
    ['200', '/speech/tts', 200],
    ['404', '/speech/tts', 404],
    ['200', '/media/video-dubbing/jobs', 400],
  ])('is refused in the shape %s of %s with a %d, and not charged', async (shape, path, status) => {
    const { call, simulator } = await openSimulator({ shape: `voice.missing=${shape}` });
    const names = path === '/media/video-dubbing/jobs' ? { reference_id: 'nobody' } : { voiceId: 'nobody' };
    const body = { text: 'x', ...names, video_url: 'https://media.example/face.mp4?seconds=1' };
    const answer = await call('POST', path, body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/VOICE_NOT_FOUND/)]);
    expect(simulator.ledger()).toEqual([]);
  });

  it('is any id by default, since a rehearsal has the voices of its user; with `listed` only those of the list', async () => {
    const line = { text: 'x', voiceId: 'anna' };
    const any = await openSimulator();
    expect((await any.call('POST', JOBS, line)).status).toBe(202);
    const { call } = await openSimulator({ voices: 'listed' });
    expect([400, 404]).toContain((await call('POST', JOBS, line)).status);
    expect((await call('POST', JOBS, { ...line, voiceId: 'narrator' })).status).toBe(202);
  });
});
