import { describe, expect, it, jest } from '@jest/globals';
import { credentialSource, type Credentials } from '../../../store/s3/credentials.ts';
import { Signer } from '../../../store/s3/signer.ts';

/** URLs that are signed with temporary credentials end with their session, whatever they say themselves. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEYS = { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' };

/** A session that ends after this time, ms. */
const lasting = (ms: number): Credentials => ({ ...KEYS, expiration: new Date(Date.now() + ms) });

interface Sessions {
  readonly signer: Signer;
  readonly renewals: () => number;
}

/** Signs in one session, and in others once they are asked for. */
function sessions(first: Credentials, renew: () => Promise<Credentials>): Sessions {
  let known = first;
  let renewals = 0;
  const source = async (isNew = false): Promise<Credentials> => {
    if (isNew) {
      renewals += 1;
      known = await renew();
    }
    return known;
  };
  const server = { region: 'us-east-1', url: new URL('https://media.s3.amazonaws.com') };
  return { signer: new Signer(server, source), renewals: () => renewals };
}

const secondsOf = (url: string): number => Number(new URL(url).searchParams.get('X-Amz-Expires'));
const never = (): Promise<Credentials> => Promise.reject(new Error('nobody may renew it'));

describe('a URL', () => {
  it('is signed in a new session if the present one ends before', async () => {
    const { signer, renewals } = sessions(lasting(10 * MINUTE), () =>
      Promise.resolve({ ...lasting(6 * HOUR), sessionToken: 'new' }),
    );
    const { url, livesMs, limit } = await signer.presign('a.mp4', 3 * HOUR);
    expect({ livesMs, limit, seconds: secondsOf(url) }).toEqual({
      ...{ livesMs: 3 * HOUR, limit: undefined },
      seconds: 3 * 3_600,
    });
    expect(new URL(url).searchParams.get('X-Amz-Security-Token')).toBe('new');
    expect(renewals()).toBe(1);
  });

  it('needs no new session if the present one lasts', async () => {
    const { signer, renewals } = sessions(lasting(4 * HOUR), never);
    expect(await signer.presign('a.mp4', 3 * HOUR)).toMatchObject({ livesMs: 3 * HOUR });
    expect(renewals()).toBe(0);
  });

  it('lives no longer than the longest session that there is, and says so', async () => {
    const { signer } = sessions(lasting(10 * MINUTE), () => Promise.resolve(lasting(HOUR)));
    const { url, livesMs, limit } = await signer.presign('a.mp4', 3 * HOUR);
    expect(limit).toBe('session');
    expect(livesMs).toBeGreaterThan(59 * MINUTE);
    expect(livesMs).toBeLessThanOrEqual(HOUR);
    expect(secondsOf(url)).toBe(Math.floor(livesMs / 1_000));
  });

  it('is signed all the same if the session cannot be renewed, for what is left of it', async () => {
    const { signer } = sessions(lasting(10 * MINUTE), never);
    const { livesMs, limit } = await signer.presign('a.mp4', 3 * HOUR);
    expect(limit).toBe('session');
    expect(livesMs).toBeGreaterThan(9 * MINUTE);
    expect(livesMs).toBeLessThanOrEqual(10 * MINUTE);
    const { signer: late } = sessions(lasting(-MINUTE), never);
    expect(await late.presign('a.mp4', HOUR)).toMatchObject({ livesMs: 0, limit: 'session' });
  });

  it('of a session whose end nobody knows says that', async () => {
    const { signer, renewals } = sessions(KEYS, never);
    expect(await signer.presign('a.mp4', HOUR)).toMatchObject({ livesMs: HOUR, limit: 'unknown-session' });
    expect(renewals()).toBe(0);
  });

  it('of keys without a session lives as long as it was asked to, or seven days', async () => {
    const { signer } = sessions({ accessKeyId: 'a', secretAccessKey: 'b' }, never);
    expect((await signer.presign('a.mp4', HOUR)).limit).toBeUndefined();
    expect(await signer.presign('a.mp4', 200 * HOUR)).toMatchObject({ livesMs: 168 * HOUR, limit: 'seven-days' });
  });
});

it('a thousand URLs renew a session once a minute', async () => {
  const { signer, renewals } = sessions(lasting(10 * MINUTE), () => Promise.resolve(lasting(HOUR)));
  const sign = (): Promise<unknown> =>
    Promise.all(Array.from({ length: 1_000 }, () => signer.presign('a.mp4', 3 * HOUR)));
  await sign();
  await sign();
  expect(renewals()).toBe(1);
  const own = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => own() + 61_000);
  try {
    await sign();
  } finally {
    clock.mockRestore();
  }
  expect(renewals()).toBe(2);
});

it('the end of a session of the environment is read', async () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' };
  expect((await credentialSource(env)()).expiration).toBeUndefined();
  const ends = { ...env, AWS_CREDENTIAL_EXPIRATION: '2030-01-02T03:04:05Z' };
  expect((await credentialSource(ends)()).expiration).toEqual(new Date('2030-01-02T03:04:05Z'));
  expect((await credentialSource({ ...ends, AWS_CREDENTIAL_EXPIRATION: 'soon' })()).expiration).toBeUndefined();
  // Left over from a session: the keys have none.
  expect((await credentialSource({ ...ends, AWS_SESSION_TOKEN: '' })()).expiration).toBeUndefined();
});
