import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { bufferSmallBody } from '../../activities/receive-paid.ts';

const MIB = 1024 ** 2;

async function* pieces(count: number, bytes: number, breaksOff = false): AsyncGenerator<Buffer> {
  for (let n = 0; n < count; n++) yield await Promise.resolve(Buffer.alloc(bytes, n));
  if (breaksOff) throw new Error('cut');
}

describe('bufferSmallBody', () => {
  it('makes a small stream a buffer, which can be stored twice', async () => {
    const body = await bufferSmallBody(Readable.from(pieces(3, 1_000)));
    expect(body).toEqual(Buffer.concat([0, 1, 2].map((n) => Buffer.alloc(1_000, n))));
    expect(await bufferSmallBody(Buffer.from('whole'))).toEqual(Buffer.from('whole'));
  });

  it('leaves a large one a stream, of the same bytes', async () => {
    const body = await bufferSmallBody(Readable.from(pieces(5, MIB / 2)));
    if (Buffer.isBuffer(body)) throw new Error('too large for memory');
    expect((await buffer(body)).equals(Buffer.concat([0, 1, 2, 3, 4].map((n) => Buffer.alloc(MIB / 2, n))))).toBe(true);
  });

  it('passes on that a stream broke off', async () => {
    const body = await bufferSmallBody(Readable.from(pieces(2, 10, true)));
    await expect(buffer(body as Readable)).rejects.toThrow('cut');
  });
});
