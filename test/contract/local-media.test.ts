import { describe, expect, it } from '@jest/globals';
import { cellOfContent, cellOfLink, contentOfCell, isLinkToCell, nameOfContent } from '../../contract/local-media.ts';
import { isLinkBase, isListenAddress, serveMediaOf, unreachableReason } from '../../contract/serve-media.ts';

const SHA = 'ab'.repeat(32);

describe('a cell of local media', () => {
  it('is its content, by which every link to it is recognised', () => {
    const cell = cellOfContent(SHA);
    const name = nameOfContent({ sha256: SHA, extension: 'mp4' });
    expect(contentOfCell(cell)).toBe(SHA);
    for (const link of [`http://127.0.0.1:1/${name}?k=1`, `https://bucket.example/in/${name}?X-Amz-Signature=2`]) {
      expect(cellOfLink(link)).toBe(cell);
      expect(isLinkToCell(link, cell)).toBe(true);
    }
    expect(isLinkToCell(`http://127.0.0.1:1/${'cd'.repeat(32)}.mp4?k=1`, cell)).toBe(false);
  });

  it.each(['https://m.example/v.mp4', 'no link', `https://m.example/?${SHA}.mp4`])('is not %s', (link) => {
    expect(contentOfCell(link)).toBeUndefined();
    expect(cellOfLink(link)).toBeUndefined();
    expect(isLinkToCell(link, link)).toBe(true);
  });
});

describe('where local media are handed out', () => {
  it.each([
    ['127.0.0.1:8777', { host: '127.0.0.1', port: 8777, url: 'http://127.0.0.1:8777' }],
    ['[::1]:80', { host: '::1', port: 80, url: 'http://[::1]:80' }],
  ])('%s', (serveMedia, place) => {
    expect(isListenAddress(serveMedia)).toBe(true);
    expect(serveMediaOf({ serveMedia })).toEqual(place);
  });

  it.each(['8777', ':8777', 'localhost:0', 'localhost:65536', 'http://localhost:1', ''])('not %j', (text) => {
    expect(isListenAddress(text)).toBe(false);
  });

  it('has no slash at the end of its URL, and no query, password or other scheme in it', () => {
    expect(serveMediaOf({ serveMedia: 'a:1', serveMediaUrl: 'https://p.example/media/' })?.url).toBe(
      'https://p.example/media',
    );
    expect(['https://p.example/m?a', 'https://u:p@p.example', 'ftp://p.example', 'p.example'].some(isLinkBase)).toBe(
      false,
    );
  });

  it('must be in reach of the API', () => {
    const far = 'https://api.example/api/open/v1';
    expect(unreachableReason({ url: 'http://127.0.0.1:1' }, far)).toContain('--serve-media-url');
    expect(unreachableReason({ url: 'http://127.0.0.1:1' }, 'http://localhost:2/api/open/v1')).toBeUndefined();
    expect(unreachableReason({ url: 'https://p.example' }, far)).toBeUndefined();
    expect(unreachableReason({ url: 'http://0.0.0.0:1' }, undefined)).toContain('--serve-media-url');
  });
});
