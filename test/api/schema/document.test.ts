import { describe, expect, it } from '@jest/globals';
import { keyOf } from '../../../api/schema/document.ts';

describe('the key of an endpoint', () => {
  it.each([
    ['/api/jobs/{id}/', 'GET /api/jobs/{}'],
    ['/', 'GET /'],
    ['//', 'GET /'],
    ['', 'GET '],
  ])('%j is %j', (path, key) => expect(keyOf('get', path)).toBe(key));

  it('is known in no time, however many slashes a document has in a path', () => {
    const slashes = `/a${'/'.repeat(400_000)}`;
    expect(keyOf('get', `${slashes}b`)).toBe(`GET ${slashes}b`);
    expect(keyOf('get', slashes)).toBe('GET /a');
  });
});
