import { UnfitBody, type Expectation } from './store.ts';

/** How many of the first bytes {@link sniff} wants to see. */
export const HEAD_BYTES = 4096;

/** Every extension that the store gives by itself, in the order in which a result is looked for. */
export const EXTENSIONS = [
  ...['mp3', 'wav', 'm4a', 'mp4', 'ogg', 'flac', 'aac', 'webm', 'mkv', 'mov', 'pcm', 'ulaw', 'alaw', 'bin', 'txt'],
];

/** What can hold no picture. Other containers can, and first bytes do not tell whether they do. */
const AUDIO_ONLY: readonly string[] = ['mp3', 'wav', 'm4a', 'ogg', 'flac', 'aac'];

/** Raw audio by its declared type. */
const RAW: Readonly<Record<string, string>> = {
  'audio/pcm': 'pcm',
  'audio/l16': 'pcm',
  'audio/x-pcm': 'pcm',
  'audio/raw': 'pcm',
  'audio/basic': 'ulaw',
  'audio/pcmu': 'ulaw',
  'audio/pcma': 'alaw',
};

/**
 * Tells from a body's first bytes what it is. Throws {@link UnfitBody} if that is not what was expected: an error page
 * instead of a video, nothing at all, a sound instead of a picture.
 *
 * Raw audio has no signature. An audio body with unknown first bytes is taken as raw if it does not look like text; its
 * declared type names the extension, else it is `bin`. For text the caller names the extension; `BodyMeter` checks all of it.
 */
export function sniff(head: Buffer, expectation: Pick<Expectation, 'family' | 'contentType' | 'extension'>): string {
  const { family } = expectation;
  if (family === 'text') return expectation.extension ?? 'txt';
  if (head.length === 0) throw new UnfitBody(`Expected ${family}, but the body is empty.`);
  const media = sniffMedia(head);
  if (media !== undefined) {
    if (family === 'video' && AUDIO_ONLY.includes(media))
      throw new UnfitBody(`Expected video, but the body is ${media}.`);
    return media;
  }
  const text = describeText(head);
  if (text !== undefined) throw new UnfitBody(`Expected ${family}, but the body is ${text}.`);
  if (family === 'video') {
    throw new UnfitBody(
      `Expected video, but the body is of no known kind (it begins with ${head.toString('hex', 0, 12)}).`,
    );
  }
  const type = expectation.contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type.startsWith('text/') || /[/+](json|xml|html)$/.test(type)) {
    throw new UnfitBody(`Expected audio, but the body is declared as ${type}.`);
  }
  return RAW[type] ?? 'bin';
}

function sniffMedia(head: Buffer): string | undefined {
  if (startsWith(head, 'ID3')) return 'mp3';
  if (startsWith(head, 'RIFF') && startsWith(head, 'WAVE', 8)) return 'wav';
  if (startsWith(head, 'OggS')) return 'ogg';
  if (startsWith(head, 'fLaC')) return 'flac';
  if (startsWith(head, 'ftyp', 4)) return sniffBrand(head.toString('latin1', 8, 12));
  // EBML; the document type follows within the first few elements (RFC 8794).
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) return head.includes('webm') ? 'webm' : 'mkv';
  return sniffFrame(head);
}

/** Major brands of ISO media files: Apple's audio brands, QuickTime; anything else is an MP4 of some kind. */
function sniffBrand(brand: string): string {
  if (brand === 'M4A ' || brand === 'M4B ') return 'm4a';
  return brand === 'qt  ' ? 'mov' : 'mp4';
}

/** MPEG audio frames start with eleven set bits; layer bits 00 mean ADTS (AAC). Reserved values rule out raw audio that begins alike. */
function sniffFrame(head: Buffer): string | undefined {
  const [first = 0, second = 0, third = 0] = head;
  if (head.length < 4 || first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const layer = (second >> 1) & 3;
  if (layer === 0) return (second & 0xf0) === 0xf0 && ((third >> 2) & 15) < 13 ? 'aac' : undefined;
  const isReserved = ((second >> 3) & 3) === 1 || third >> 4 === 15 || third >> 4 === 0 || ((third >> 2) & 3) === 3;
  return isReserved ? undefined : 'mp3';
}

/** What kind of text this is, or undefined if it isn't text: it has control characters, or bytes that are not UTF-8. */
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
