import { expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { readServer } from '../../../store/s3/settings.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const folder = folderForEach();
const PLACE = { bucket: 'media', prefix: 'x/', address: 's3://media/x' };

/** Where requests go, with this environment and AWS configuration. */
async function server(env: NodeJS.ProcessEnv, config = '', bucket = 'media'): Promise<string> {
  await writeFile(folder('config'), config);
  const files = { AWS_CONFIG_FILE: folder('config'), AWS_SHARED_CREDENTIALS_FILE: folder('none') };
  const { region, url } = await readServer({ ...PLACE, bucket }, { ...files, ...env });
  return `${region} ${url.href}`;
}

const PROFILE = `
[default]
region = eu-central-1
[profile r2]
region = auto
endpoint_url = https://id.r2.example
[profile ceph]
region = default
services = inside
s3 =
  addressing_style = virtual
[services inside]
s3 =
  endpoint_url = http://ceph:7480/rgw/
`;

it.each([
  ['the region', { AWS_REGION: 'eu-west-1' }, '', 'eu-west-1 https://media.s3.eu-west-1.amazonaws.com/'],
  [
    'its older name',
    { AWS_DEFAULT_REGION: 'cn-north-1' },
    '',
    'cn-north-1 https://media.s3.cn-north-1.amazonaws.com.cn/',
  ],
  ['the default profile', {}, PROFILE, 'eu-central-1 https://media.s3.eu-central-1.amazonaws.com/'],
  ['a profile', { AWS_PROFILE: 'r2' }, PROFILE, 'auto https://id.r2.example/media'],
  ['its services', { AWS_PROFILE: 'ceph' }, PROFILE, 'default http://media.ceph:7480/rgw'],
  [
    'an endpoint for S3 before one for all',
    { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000', AWS_ENDPOINT_URL: 'http://other' },
    '',
    'us-east-1 http://127.0.0.1:9000/media',
  ],
  [
    'an endpoint for all',
    { AWS_ENDPOINT_URL: 'https://[::1]:9000/s3/' },
    PROFILE,
    'eu-central-1 https://[::1]:9000/s3/media',
  ],
  [
    'none that is to be ignored',
    { AWS_ENDPOINT_URL_S3: 'http://x', AWS_REGION: 'us-west-2', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
    '',
    'us-west-2 https://media.s3.us-west-2.amazonaws.com/',
  ],
])('is found by %s', async (_name, env, config, expected) => {
  expect(await server(env, config)).toBe(expected);
});

it('has no certificate for a bucket with dots as a host', async () => {
  expect(await server({ AWS_REGION: 'us-east-1' }, '', 'my.media')).toBe(
    'us-east-1 https://s3.us-east-1.amazonaws.com/my.media',
  );
});

it('asks for a region on AWS, and for a URL', async () => {
  await expect(server({})).rejects.toThrow('Set AWS_REGION to the region of the bucket');
  await expect(server({ AWS_ENDPOINT_URL: 'localhost:9000' })).rejects.toThrow('is no http(s) URL');
});
