import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { freshFolder } from '../../support/fresh-folder.ts';
import { FILE, isCopy, openOn, putSound, type Refusal } from './odd-server.ts';

/** S3 begins to answer with 200 before it has finished, and may then say that it failed. */

const isCompletion = ({ method, url = '' }: IncomingMessage): boolean => method === 'POST' && url.includes('uploadId=');

/** Refuses the first `most` of such requests in this way, and counts them all. */
function refusing(
  most: number,
  isMeant: (request: IncomingMessage) => boolean,
  code: string,
): { readonly refusal: (request: IncomingMessage) => Refusal | undefined; readonly count: () => number } {
  let count = 0;
  const refusal = (request: IncomingMessage): Refusal | undefined => {
    if (!isMeant(request)) return undefined;
    count += 1;
    return count > most ? undefined : [200, code];
  };
  return { refusal, count: () => count };
}

it.each(['SlowDown', 'InternalError', 'ServiceUnavailable'])(
  'a copy that fails late (%s) is made again',
  async (code) => {
    const { refusal, count } = refusing(2, isCopy, code);
    const bytes = await openOn(refusal);
    await putSound(bytes);
    expect(await bytes.copy(FILE, 'c/1.mp3')).toBe('reused');
    expect(count()).toBe(3);
  },
);

it.each([
  ['NoSuchKey', 'missing'],
  ['PreconditionFailed', 'altered'],
])('a copy whose source has gone meanwhile (%s) finds it %s', async (code, became) => {
  const bytes = await openOn(refusing(1, isCopy, code).refusal);
  await putSound(bytes);
  expect(await bytes.copy(FILE, 'c/1.mp3')).toBe(became);
});

it('a copy that is refused late is refused', async () => {
  const bytes = await openOn(refusing(1, isCopy, 'InvalidRequest').refusal);
  await putSound(bytes);
  await expect(bytes.copy(FILE, 'c/1.mp3')).rejects.toMatchObject({ code: 'InvalidRequest' });
});

it('an upload in parts is completed once the server can, with pauses in between', async () => {
  const { refusal, count } = refusing(6, isCompletion, 'InternalError');
  const bytes = await openOn(refusal);
  const body = Buffer.alloc(20_000_000, 1);
  const from = `${freshFolder()}/film`;
  await writeFile(from, body);
  const began = performance.now();
  await bytes.put('b/1.mp4', { from, bytes: body.length, sha256: hash('sha256', body, 'hex') });
  expect(count()).toBe(7);
  // Six pauses of 50 ms and doubled, each shortened by a half at most.
  expect(performance.now() - began).toBeGreaterThan(1_500);
});
