import { expect, it } from '@jest/globals';
import { familyOf, mediaTypeOf } from '../../store/media-types.ts';

it.each([
  ['m4a', 'audio', 'audio/mp4'],
  ['mov', 'video', 'video/quicktime'],
  ['srt', 'text', 'application/x-subrip'],
  ['vtt', 'text', 'text/vtt; charset=utf-8'],
  ['pcm', 'other', 'application/octet-stream'],
] as const)('knows what shows a file and what type it has: %s', (extension, family, type) => {
  expect(familyOf(extension)).toBe(family);
  expect(mediaTypeOf(extension)).toBe(type);
});
