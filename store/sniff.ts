import { adtsFrameBytes, id3Bytes, readMpegFrame } from './containers/mpeg-frame.ts';
import type { Expectation } from './store.ts';
import { type Unfitness, UnfitBody } from './unfit.ts';

/** How many bytes {@link sniff} needs, unless the body is shorter. */
export const HEAD_BYTES = 4096;

/** Types without a picture. Other containers may have one, which the first bytes do not show. */
const AUDIO_ONLY: readonly string[] = ['mp3', 'wav', 'm4a', 'ogg', 'flac', 'aac'];

/** The extension of raw audio, by its declared media type. */
const RAW: Readonly<Record<string, string>> = {
  'audio/pcm': 'pcm',
  'audio/l16': 'pcm',
  'audio/x-pcm': 'pcm',
  'audio/raw': 'pcm',
  'audio/basic': 'ulaw',
  'audio/pcmu': 'ulaw',
  'audio/pcma': 'alaw',
};
const RAW_FORMATS: readonly string[] = [...new Set(Object.values(RAW))];

/** All extensions that the store assigns, in the order in which a stored file is looked up. */
export const EXTENSIONS = [...AUDIO_ONLY, 'mp4', 'webm', 'mkv', 'mov', ...RAW_FORMATS, 'bin', 'txt'];

/** A body's type. */
export interface Sniffed {
  /** Without a dot; `bin` if unknown. */
  readonly extension: string;
  /** Why the type does not fit the request. */
  readonly unfit?: Unfitness;
}

/**
 * Detects a body's type by its first bytes (`head`). Throws {@link UnfitBody} if it is no result at all: an error page,
 * or empty. A file of another type than requested is `unfit`.
 *
 * Raw audio has no signature: its declared type or the requested format names it, unless it looks like text. For text,
 * the caller names the extension; `inspect.ts` checks that all of it is UTF-8.
 */
export function sniff(head: Buffer, expectation: Omit<Expectation, 'contentLength'>): Sniffed {
  const { family, format = '' } = expectation;
  if (family === 'text') return { extension: expectation.extension ?? 'txt' };
  if (head.length === 0) throw new UnfitBody(`Expected ${family}, but the body is empty.`);
  const type = expectation.contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const raw = RAW[type] ?? (RAW_FORMATS.includes(format) ? format : undefined);
  const media = sniffMedia(head, type in RAW);
  if (media !== undefined) {
    const isSound = family === 'video' && AUDIO_ONLY.includes(media);
    return { extension: media, ...(isSound ? { unfit: 'sound rather than a video' } : {}) };
  }
  const text = describeText(head);
  if (text !== undefined) throw new UnfitBody(`Expected ${family}, but the body is ${text}.`);
  if (type.startsWith('text/') || /[/+](json|xml|html)$/.test(type)) {
    throw new UnfitBody(`Expected ${family}, but the body is declared as ${type}.`);
  }
  if (raw === undefined) return { extension: 'bin', unfit: 'of no known kind' };
  return { extension: raw, ...(family === 'video' ? { unfit: 'sound rather than a video' } : {}) };
}

/** Returns a media type by which {@link sniff} recognises raw audio with this extension; undefined for other types. */
export function declaredTypeOf(extension: string): string | undefined {
  return Object.keys(RAW).find((type) => RAW[type] === extension);
}

/** Detects a media container by its signature. `isRaw`: whether raw audio was declared. */
function sniffMedia(head: Buffer, isRaw: boolean): string | undefined {
  // ID3 tags belong to MP3, but some AAC streams have one too.
  if (startsWith(head, 'ID3')) return adtsFrameBytes(head.subarray(id3Bytes(head))) === undefined ? 'mp3' : 'aac';
  if (startsWith(head, 'RIFF') && startsWith(head, 'WAVE', 8)) return 'wav';
  if (startsWith(head, 'OggS')) return 'ogg';
  if (startsWith(head, 'fLaC')) return 'flac';
  if (startsWith(head, 'ftyp', 4)) return sniffBrand(head.toString('latin1', 8, 12));
  // EBML; the document type follows within the first few elements (RFC 8794).
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) return head.includes('webm') ? 'webm' : 'mkv';
  return sniffFrame(head, isRaw);
}

/** Major brands of ISO media files: Apple's audio brands, QuickTime; anything else is an MP4 of some kind. */
function sniffBrand(brand: string): string {
  if (brand === 'M4A ' || brand === 'M4B ') return 'm4a';
  return brand === 'qt  ' ? 'mov' : 'mp4';
}

/**
 * Recognises a frame of MPEG audio or ADTS. Raw audio may begin with the same bytes: if raw audio was declared, a
 * second frame must follow the first.
 */
function sniffFrame(head: Buffer, isRaw: boolean): string | undefined {
  const sizes = { mp3: (at: Buffer) => readMpegFrame(at)?.size, aac: adtsFrameBytes };
  for (const [name, sizeOf] of Object.entries(sizes)) {
    const size = sizeOf(head);
    if (size !== undefined && (!isRaw || sizeOf(head.subarray(size)) !== undefined)) return name;
  }
  return undefined;
}

/** Returns the kind of a text; undefined if it is no text: it has control characters, or is not UTF-8. */
function describeText(head: Buffer): string | undefined {
  let text: string;
  try {
    // `stream`: the head may end within a character.
    text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (start.startsWith('<!doctype html') || start.startsWith('<html')) return 'an HTML page';
  if (start.startsWith('<?xml') || /^<[a-z]/.test(start)) return 'XML';
  if (start.startsWith('{') || start.startsWith('[')) return 'JSON';
  return /[^\P{Cc}\t\n\v\f\r]/u.test(text) ? undefined : 'plain text';
}

function startsWith(head: Buffer, signature: string, at = 0): boolean {
  return head.toString('latin1', at, at + signature.length) === signature;
}
