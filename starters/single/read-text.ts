import type { Readable } from 'node:stream';
import { trimEnd } from '../../contract/trim-end.ts';
import { MAX_CELL_BYTES } from '../../contract/text-limits.ts';
import { usageError } from '../exit-error.ts';

/**
 * Reads a text from standard input: UTF-8, at most 1 MB like a cell of a manifest. Line breaks at its end are no part
 * of it, as in `$(…)` of a shell. Nothing at all is an error: what should have written it has failed. Throws {@link ExitError} `usage`.
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
  const text = trimEnd(decode(Buffer.concat(chunks)), '\r\n');
  if (text.trim() === '') throw usageError('standard input: expected a text, and it is empty.');
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError('standard input: expected a text in UTF-8.');
  }
}
