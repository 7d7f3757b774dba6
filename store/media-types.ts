/** Media types of files by their extension. */
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
  ts: 'video/mp2t',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip',
  vtt: 'text/vtt; charset=utf-8',
};

/** Returns the media type of files with this extension (without a dot); that of unknown bytes by default. */
export function mediaTypeOf(extension: string): string {
  return TYPES[extension] ?? 'application/octet-stream';
}

/** Returns the kind of player for files with this extension. */
export function familyOf(extension: string): 'audio' | 'video' | 'text' | 'other' {
  if (['txt', 'srt', 'vtt'].includes(extension)) return 'text';
  const [family = ''] = mediaTypeOf(extension).split('/');
  return family === 'audio' || family === 'video' ? family : 'other';
}
