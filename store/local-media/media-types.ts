/** Media types by the extension of a link. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['mkv', 'video/x-matroska'],
  ['webm', 'video/webm'],
  ['ts', 'video/mp2t'],
  ['wav', 'audio/wav'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['mp3', 'audio/mpeg'],
  ['aac', 'audio/aac'],
]);

/** The media type of a file with this extension. */
export function mediaTypeOf(extension: string): string {
  return TYPES.get(extension) ?? 'application/octet-stream';
}

/** What plays or shows a file with this extension. */
export function familyOf(extension: string): 'audio' | 'video' | 'text' | 'other' {
  const [family = ''] = mediaTypeOf(extension).split('/');
  if (family === 'audio' || family === 'video') return family;
  return ['txt', 'srt', 'vtt'].includes(extension) ? 'text' : 'other';
}
