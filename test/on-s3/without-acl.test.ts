import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BucketClient } from '../../store/s3/client.ts';
import { credentialSource } from '../../store/s3/credentials.ts';
import { openBucketBytes } from '../../store/s3/s3-bytes.ts';
import { readServer } from '../../store/s3/settings.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { s3ForFile, s3Server } from './server.ts';

s3ForFile();

/** Makes a bucket as a folder, and a user who may do everything in it by its policy. Returns the user's settings. */
async function userOfFolder(bucket: string): Promise<NodeJS.ProcessEnv> {
  const server = s3Server();
  const { env } = server;
  await mkdir(join(dirname(server.bucket), bucket));
  const user = server.addUser('worker');
  const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
  const Statement = [{ Effect: 'Allow', Principal: { AWS: ['worker'] }, Action: ['s3:*'], Resource }];
  const body = Buffer.from(JSON.stringify({ Version: '2012-10-17', Statement }));
  const place = { bucket, prefix: '' };
  const client = new BucketClient(place, await readServer(place, env), credentialSource(env));
  await client.ask({ method: 'PUT', query: { policy: '' }, body });
  client.close();
  return user;
}

it('a bucket that was made as a folder has no ACL, so its server fails with each copy of a user: it is made by reading and writing', async () => {
  const bytes = await openBucketBytes({ bucket: 'folder', prefix: 'p/' }, await userOfFolder('folder'));
  endAfterTest(() => bytes.close());
  const from = Buffer.from('sound');
  const file = { key: 'b/1.mp3', bytes: from.length, sha256: hash('sha256', from, 'hex'), extension: 'mp3' };
  await bytes.put(file.key, { ...file, from });
  expect(await bytes.copy(file, 'c/1.mp3')).toBe('reused');
  expect(await text(await bytes.read('c/1.mp3'))).toBe('sound');
  expect((await bytes.probe()).copyProblem).toMatch(/^InternalError: /);
});
