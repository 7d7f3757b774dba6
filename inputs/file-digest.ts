import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** sha256 of a file, hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** One digest for several files in their order; that of a single file is its own. */
export function combineDigests(digests: readonly string[]): string {
  const [only = ''] = digests;
  return digests.length === 1 ? only : hash('sha256', digests.join(' '), 'hex');
}
