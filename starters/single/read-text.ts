import type { Readable } from 'node:stream';
import { MAX_CELL_BYTES } from '../../inputs/raw-record.ts';
import { usageError } from '../exit-error.ts';

/**
 * Reads a text from standard input: UTF-8, at most 1 MB like a cell of a manifest. Line breaks at its end are no part
 * of it, as in `$(…)` of a shell. Throws {@link ExitError} `usage`.
 */
export async function readText(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_CELL_BYTES)
      throw usageError('standard input: expected a text of at most 1 MB. Use a manifest of several rows.');
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return text.replace(/[\r\n]+$/, '');
  } catch {
    throw usageError('standard input: expected a text in UTF-8.');
  }
}
