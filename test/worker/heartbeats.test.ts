import { beforeEach, expect, it, jest } from '@jest/globals';
import { startHeartbeats } from '../../worker/heartbeats.ts';

const ME = { owner: 'me', apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };

beforeEach(() => {
  jest.useFakeTimers();
});

it('a worker beats at once and at least three times in the 8 s for which it counts as alive, whatever one beat meets', async () => {
  const beat = jest.fn((me: unknown) => (me === ME ? Promise.resolve() : Promise.reject(new Error('whose?'))));
  const beats = await startHeartbeats({ beat }, ME);
  expect(beat).toHaveBeenCalledTimes(1);
  beat.mockRejectedValueOnce(new Error('The disk is full'));
  await jest.advanceTimersByTimeAsync(8_000);
  expect(beat.mock.calls.length).toBeGreaterThanOrEqual(4);
  const { length } = beat.mock.calls;
  await beats.stop();
  await jest.advanceTimersByTimeAsync(8_000);
  expect(beat).toHaveBeenCalledTimes(length);
});
