import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import type { FileWindow } from './containers/file-window.ts';
import { HEAD_BYTES, sniff } from './sniff.ts';
import { UnfitBody, type Expectation, type StoredFile } from './store.ts';
import { checkWhole } from './whole.ts';

/**
 * Looks at all of a body: its hash, what it is, and whether it is whole. Throws {@link UnfitBody} for one that is cut or no
 * result at all.
 */
export async function inspect(file: FileWindow, expectation: Expectation): Promise<Omit<StoredFile, 'key'>> {
  const { family } = expectation;
  const { extension, unfit } = sniff(await file.read(0, HEAD_BYTES), expectation);
  const sha256 = await hashOf(file, family === 'text');
  if (family === 'text') return { bytes: file.bytes, sha256, extension };
  // A sound that was to be a video is whole or not by what it is.
  const found = await checkWhole(file, extension, unfit === 'sound rather than a video' ? 'audio' : family);
  const fault = unfit ?? found;
  return { bytes: file.bytes, sha256, extension, ...(fault === undefined ? {} : { unfit: fault }) };
}

/** sha256, hex. Text is checked for UTF-8 by the way; a character may lie across two pieces. */
async function hashOf(file: FileWindow, isText: boolean): Promise<string> {
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
