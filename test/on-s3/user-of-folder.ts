import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BucketClient } from '../../store/s3/client.ts';
import { credentialSource } from '../../store/s3/credentials.ts';
import { readServer } from '../../store/s3/settings.ts';
import { s3Server } from './server.ts';

/** Makes a bucket as a folder, and a user who may do everything in it by its policy. Returns the user's settings. Such a bucket has no ACL, so the server fails with each copy of a user. */
export async function userOfFolder(bucket: string): Promise<NodeJS.ProcessEnv> {
  const server = s3Server();
  const { env } = server;
  await mkdir(join(dirname(server.bucket), bucket));
  const user = server.addUser('worker');
  const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
  const Statement = [{ Effect: 'Allow', Principal: { AWS: ['worker'] }, Action: ['s3:*'], Resource }];
  const body = Buffer.from(JSON.stringify({ Version: '2012-10-17', Statement }));
  const place = { bucket, prefix: '', address: `s3://${bucket}` };
  const client = new BucketClient(place, await readServer(place, env), credentialSource(env));
  await client.ask({ method: 'PUT', query: { policy: '' }, body });
  client.close();
  return user;
}
