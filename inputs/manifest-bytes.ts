import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { sha256Of } from './file-digest.ts';

/** Where the bytes of a manifest are. */
export interface ManifestBytes {
  /** The file that holds them. */
  readonly path: string;
  /** The bytes themselves, if there is no file: then the path is empty. */
  readonly text?: string;
}

/** The bytes of a manifest. `atOnce`: how many of a file are read at once. */
export function bytesOf({ path, text }: ManifestBytes, atOnce: number): AsyncIterable<Buffer> {
  return text === undefined ? createReadStream(path, { highWaterMark: atOnce }) : Readable.from([Buffer.from(text)]);
}

/** sha256 of the bytes of a manifest, hex. */
export async function digestOfBytes({ path, text }: ManifestBytes): Promise<string> {
  return text === undefined ? sha256Of(path) : hash('sha256', text, 'hex');
}
