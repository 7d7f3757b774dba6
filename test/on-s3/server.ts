import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { BucketClient } from '../../store/s3/client.ts';
import { credentialSource } from '../../store/s3/credentials.ts';
import { type BucketBytes, openBucketBytes } from '../../store/s3/s3-bytes.ts';
import { readServer } from '../../store/s3/settings.ts';
import { type S3Server, startS3 } from '../s3-server.mjs';
import { endAfterTest } from '../support/end-after-test.ts';

let server: S3Server | undefined;

/** Gives the test file that calls it at its top an S3 server. Modules are shared by the files that a process runs. */
export function s3ForFile(): void {
  beforeAll(async () => {
    server = await startS3();
  });
  // Whatever fails because the server is gone says so.
  afterEach(() => server?.requireRunning());
  afterAll(async () => {
    await server?.stop();
    server = undefined;
  });
}

/** The S3 server of this test file. */
export function s3Server(): S3Server {
  if (server === undefined) throw new Error('Call s3ForFile at the top of this test file.');
  return server;
}

/** A new place in its bucket, closed after the test. */
export async function openPlace(prefix = `${randomUUID()}/`, env: NodeJS.ProcessEnv = {}): Promise<BucketBytes> {
  const bytes = await openBucketBytes(
    { bucket: 'media', prefix, address: `s3://media/${prefix}`.replace(/\/$/, '') },
    { ...s3Server().env, ...env },
  );
  endAfterTest(() => bytes.close());
  return bytes;
}

/** A client of the whole bucket, closed after the test. */
export async function openClient(): Promise<BucketClient> {
  const { env } = s3Server();
  const place = { bucket: 'media', prefix: '', address: 's3://media' };
  const client = new BucketClient(place, await readServer(place, env), credentialSource(env));
  endAfterTest(() => {
    client.close();
  });
  return client;
}
