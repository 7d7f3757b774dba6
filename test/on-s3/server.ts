import { afterAll, afterEach } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type BucketBytes, openBucketBytes } from '../../store/s3/s3-bytes.ts';
import { type S3Server, startS3 } from '../s3-server.mjs';
import { endAfterTest } from '../support/end-after-test.ts';

let starting: Promise<S3Server> | undefined;

/** The S3 server of this test file. */
export function s3Server(): Promise<S3Server> {
  return (starting ??= startS3());
}

// Whatever fails because the server is gone says so.
afterEach(async () => {
  (await starting)?.requireRunning();
});
afterAll(async () => {
  await (await starting)?.stop();
});

/** A new place in its bucket, closed after the test. */
export async function openPlace(prefix = `${randomUUID()}/`, env: NodeJS.ProcessEnv = {}): Promise<BucketBytes> {
  const server = await s3Server();
  const bytes = await openBucketBytes({ bucket: 'media', prefix }, { ...server.env, ...env });
  endAfterTest(() => bytes.close());
  return bytes;
}
