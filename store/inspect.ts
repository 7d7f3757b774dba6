import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import type { FileWindow } from './containers/file-window.ts';
import { HEAD_BYTES, sniff } from './sniff.ts';
import { UnfitBody, type Expectation, type StoredFile } from './store.ts';
import type { Unfitness } from './unfit.ts';
import { checkWhole } from './whole.ts';

/**
 * Inspects a whole body: its hash, its type, and whether it is complete. Throws {@link UnfitBody} for one that is cut
 * off or no result at all.
 *
 * @param unread why it cannot be read: then its content is not looked into. Default: it is
 */
export async function inspect(
  file: FileWindow,
  expectation: Expectation,
  unread?: Unfitness,
): Promise<Omit<StoredFile, 'key'>> {
  const { family } = expectation;
  const { extension, unfit } = sniff(await file.read(0, HEAD_BYTES), expectation);
  const sha256 = await hashOf(file, family === 'text');
  if (family === 'text') return { bytes: file.bytes, sha256, extension };
  if (unread !== undefined) return { bytes: file.bytes, sha256, extension, unfit: unread };
  // Sound in place of a video is checked as the audio that it is.
  const checked = await checkWhole(file, extension, unfit === 'sound rather than a video' ? 'audio' : family);
  return { bytes: file.bytes, sha256, extension, ...checked, ...(unfit === undefined ? {} : { unfit }) };
}

/** sha256, hex. Also checks that text is UTF-8; a character may span two chunks. */
export async function hashOf(file: FileWindow, isText: boolean): Promise<string> {
  const hash = createHash('sha256');
  const decoder = isText ? new TextDecoder('utf-8', { fatal: true }) : undefined;
  for await (const piece of file.pieces()) {
    hash.update(piece);
    decode(decoder, piece, true);
  }
  decode(decoder, Buffer.alloc(0), false);
  return hash.digest('hex');
}

function decode(decoder: TextDecoder | undefined, piece: Buffer, stream: boolean): void {
  try {
    decoder?.decode(piece, { stream });
  } catch {
    throw new UnfitBody('Expected text, but the body is not UTF-8.');
  }
}
