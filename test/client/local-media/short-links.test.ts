import { describe, expect, it } from '@jest/globals';
import { warningsOf, whyLinksAreShort } from '../../../client/local-media/short-links.ts';

/** What a person hears about links to local media before anything is spent. */

const MINUTE = 60_000;
const DEADLINE = { jobDeadlineMs: 120 * MINUTE };
const KEYS = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
const SESSION = { ...KEYS, AWS_SESSION_TOKEN: 'c' };
const endingIn = (ms: number): NodeJS.ProcessEnv => ({
  ...SESSION,
  AWS_CREDENTIAL_EXPIRATION: new Date(Date.now() + ms).toISOString(),
});
const inBucket = (env: NodeJS.ProcessEnv) => ({ config: {}, store: 's3://media/x', env });

describe('links to local media', () => {
  it('that end with a session are told before, with its length and what to do', async () => {
    const why = await whyLinksAreShort(inBucket(endingIn(60.5 * MINUTE)), DEADLINE);
    expect(why).toContain(
      'end with the session of the AWS credentials, which lasts 1h, but a job may take 3h with its downloads',
    );
    expect(why).toContain("duration_seconds of the profile, at most the role's maximum session duration");
  });

  it('whose session has an unknown end are told, too', async () => {
    const why = await whyLinksAreShort(inBucket(SESSION), DEADLINE);
    expect(why).toContain('its end is not known');
    expect(why).toContain('Set AWS_CREDENTIAL_EXPIRATION');
  });

  it('that cannot live as long as a job of more than seven days are told', async () => {
    const why = await whyLinksAreShort(inBucket(KEYS), { jobDeadlineMs: 10 * 1_440 * MINUTE });
    expect(why).toContain('live 7d, which is what S3 allows, but a job may take 10d1h');
  });

  it.each([
    ['keys', inBucket(KEYS)],
    ['a session that is longer than a job and its download', inBucket(endingIn(181 * MINUTE))],
    ['a store in a folder', { ...inBucket(SESSION), store: '/media' }],
    ['files that are handed out from here', { ...inBucket(SESSION), config: { serveMedia: '127.0.0.1:8777' } }],
    ['a bucket in no region', inBucket({ ...SESSION, AWS_REGION: '', AWS_CONFIG_FILE: '/nowhere' })],
  ])('need no words with %s', async (_name, settings) => {
    expect(await whyLinksAreShort(settings, DEADLINE)).toBeUndefined();
  });
});

it('a manifest is warned about its local media, at the first of them', async () => {
  const known = { column: 'txet', line: 1, message: 'not a column that we know', rows: null };
  const summary = { warnings: [known], local: { column: 'film', line: 3, rows: 2 } };
  const warnings = await warningsOf(summary, inBucket(SESSION), DEADLINE);
  expect(warnings).toEqual([known, { column: 'film', line: 3, rows: 2, message: expect.stringContaining('session') }]);
  expect(await warningsOf({ ...summary, local: null }, inBucket(SESSION), DEADLINE)).toEqual([known]);
});
