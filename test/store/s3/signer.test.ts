import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { Signer } from '../../../store/s3/signer.ts';

/** The examples of AWS's own documentation ("Signature Calculations for the Authorization Header", "… Query Parameters"). */

const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };

function signer(): Signer {
  const server = { region: 'us-east-1', url: new URL('https://examplebucket.s3.amazonaws.com') };
  const made = new Signer(server, () => Promise.resolve(KEYS));
  // Signatures know seconds, and this second has just begun.
  made.skewMs = Date.parse('2013-05-24T00:00:00.000Z') - Date.now() + 50;
  return made;
}

const EMPTY = hash('sha256', '', 'hex');

it.each([
  [
    'an object that is read in part',
    { method: 'GET', key: 'test.txt', query: {}, headers: { range: 'bytes=0-9' }, sha256: EMPTY },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a setting of the bucket',
    { method: 'GET', key: '', query: { lifecycle: '' }, headers: {}, sha256: EMPTY },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list',
    { method: 'GET', key: '', query: { 'max-keys': '2', prefix: 'J' }, headers: {}, sha256: EMPTY },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('signs %s', async (_name, { sha256, headers, ...request }, signature) => {
  const signed = await signer().sign({ ...request, headers: { ...headers, 'x-amz-content-sha256': sha256 } });
  expect(signed.headers['authorization']).toContain(`Signature=${signature}`);
});

it('escapes as it signs', async () => {
  const { path } = await signer().sign({
    method: 'GET',
    key: "a b/c'(1)!*é&.mp3",
    query: { prefix: 'a/b c' },
    headers: {},
  });
  expect(path).toBe('/a%20b/c%27%281%29%21%2A%C3%A9%26.mp3?prefix=a%2Fb%20c');
});

it('signs a URL for seven days at most', async () => {
  const { url: signed } = await signer().presign('test.txt', 30 * 86_400_000);
  const url = new URL(signed);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '604800',
    'X-Amz-SignedHeaders': 'host',
  });
});
