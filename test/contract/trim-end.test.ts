import { expect, it } from '@jest/globals';
import { trimEnd } from '../../contract/trim-end.ts';

it.each([
  ['/api/open/v1//', '/', '/api/open/v1'],
  ['//a/', '/', '//a'],
  ['///', '/', ''],
  ['', '/', ''],
  ['a\r\n\n', '\r\n', 'a'],
])('trimEnd of %j without %j is %j', (text, characters, left) => expect(trimEnd(text, characters)).toBe(left));
