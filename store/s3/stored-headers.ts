import { HASH_HEADER } from './objects.ts';

/** Media types of what we store, so that a browser or service that fetches it by a URL knows it. */
const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip',
  vtt: 'text/vtt; charset=utf-8',
};

/** The headers that an object is stored with. */
export function storedWith(key: string, sha256: string): Readonly<Record<string, string>> {
  const type = TYPES[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return { 'content-type': type, [HASH_HEADER]: sha256 };
}
