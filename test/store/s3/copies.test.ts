import { expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { FILE, isCopy, openOn, putSound, type Refusal } from './odd-server.ts';

/** Servers that do all but copy: the copy is made by reading and writing. */

/** A place with one file on a server that answers copies like this, and how often it was asked for one. */
async function openRefusing(answer: () => Refusal | undefined) {
  const asked = { copies: 0 };
  const bytes = await openOn((request) => {
    if (!isCopy(request)) return undefined;
    asked.copies += 1;
    return answer();
  });
  await putSound(bytes);
  return { bytes, asked };
}

it.each([
  ['fails with them for ever', [500, 'InternalError'], 4],
  ['fails with them for ever, once it has said 200', [200, 'InternalError'], 4],
  ['is behind a proxy that fails with them for ever', '<html>no</html>', 4],
  ['does not know them', [501, 'NotImplemented'], 1],
  ['does not know them, by another status', [400, 'NotImplemented'], 1],
  ['does not allow them', [405, 'MethodNotAllowed'], 1],
  ['does not allow them to these credentials', [403, 'AccessDenied'], 1],
] as const)('a copy on a server that %s is made by reading and writing', async (_, refusal, tries) => {
  const { bytes, asked } = await openRefusing(() => refusal);
  expect(await bytes.copy(FILE, 'c/1.mp3')).toBe('reused');
  expect(asked.copies).toBe(tries);
  expect(await text(await bytes.read('c/1.mp3'))).toBe('sound');
  // The next one does not try for long.
  expect(await bytes.copy(FILE, 'c/2.mp3')).toBe('reused');
  expect(asked.copies).toBe(tries + 1);
  expect(await bytes.probe()).toMatchObject({ copyProblem: expect.any(String) });
});

it('a server that copies again is asked for all copies', async () => {
  let refusal: Refusal | undefined = [500, 'InternalError'];
  const { bytes } = await openRefusing(() => refusal);
  expect((await bytes.probe()).copyProblem).toBe('InternalError: no');
  refusal = undefined;
  expect(await bytes.copy(FILE, 'c/1.mp3')).toBe('reused');
  expect((await bytes.probe()).copyProblem).toBeUndefined();
});
