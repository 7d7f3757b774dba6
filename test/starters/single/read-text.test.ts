import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { MAX_CELL_BYTES } from '../../../contract/api-limits.ts';
import { readText } from '../../../starters/single/single-commands.ts';

/** Standard input of these bytes, in chunks that cut characters. */
function input(bytes: Buffer): Readable {
  const size = bytes.length > 100 ? 65_535 : 1;
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return Readable.from(chunks);
}

const read = (text: string | Buffer): Promise<string> => readText(input(Buffer.from(text)));

describe('a text from standard input', () => {
  it('is taken as it is, but for a byte order mark and the line breaks at its end', async () => {
    expect(await read('Früh\n早上好 👋\n\r\n')).toBe('Früh\n早上好 👋');
    expect(await read('\ufeff  Hello ')).toBe('  Hello ');
  });

  it('is an error if there is none: what should have written it has failed', async () => {
    for (const nothing of ['', '\n', ' \n\t'])
      await expect(read(nothing)).rejects.toThrow('it is empty. Nothing was spent.');
  });

  it('is an error if it is not UTF-8', async () => {
    for (const bytes of [[0x61, 0xff], [0xc3], [0xed, 0xa0, 0x80]])
      await expect(read(Buffer.from(bytes))).rejects.toThrow('expected a text in UTF-8. Nothing was spent.');
  });

  it('has at most 1 MB, and no more is read', async () => {
    expect(await read('a'.repeat(MAX_CELL_BYTES))).toHaveLength(MAX_CELL_BYTES);
    await expect(read('a'.repeat(MAX_CELL_BYTES + 1))).rejects.toThrow('at most 1 MB');
    let chunks = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          chunks++;
          yield Buffer.alloc(65_536, 'a');
        }
      })(),
    );
    await expect(readText(endless)).rejects.toThrow('at most 1 MB');
    expect(chunks).toBeLessThan(100);
  });
});
