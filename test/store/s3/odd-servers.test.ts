import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { openOn } from './odd-server.ts';

it('a server that cannot list unfinished uploads holds up no request, once it was asked long enough', async () => {
  const bytes = await openOn(({ url = '' }) => (url.includes('uploads') ? [503, 'ServiceUnavailable'] : undefined), {
    prefix: 'x/',
  });
  bytes.outage.limit(300);
  expect(await bytes.claim('me')).toBe('me');
  await bytes.sweep();
  bytes.outage.limit(Infinity);
  await bytes.outage.whenAnswered(new AbortController().signal);
  expect(bytes.outage.trouble).toBeUndefined();
});

it('a file is copied by us on a server that cannot copy', async () => {
  const bytes = await openOn(({ headers }) => ('x-amz-copy-source' in headers ? [501, 'NotImplemented'] : undefined));
  bytes.outage.limit(Infinity);
  const body = Buffer.from('sound');
  const sha256 = hash('sha256', body, 'hex');
  await bytes.put('b/1.mp3', { from: body, bytes: body.length, sha256 });
  const file = { key: 'b/1.mp3', bytes: body.length, sha256, extension: 'mp3' } as const;
  expect(await bytes.copy(file, 'c/1.mp3')).toBe('reused');
  expect(String(await buffer(await bytes.read('c/1.mp3')))).toBe('sound');
});

it('uploads that nobody continues are only looked for below a prefix: without one, they may be of other programs', async () => {
  const listed: string[] = [];
  for (const prefix of ['', 'x/']) {
    const bytes = await openOn(
      ({ url = '' }) => {
        if (url.includes('uploads')) listed.push(prefix);
        return undefined;
      },
      { prefix },
    );
    bytes.outage.limit(300);
    await bytes.sweep();
  }
  expect(listed).toEqual(['x/']);
});
