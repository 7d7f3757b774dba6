import { describe, expect, it } from '@jest/globals';
import { SignedLinks } from '../../simulator/signed-links.ts';

describe('SignedLinks', () => {
  const links = new SignedLinks('http://127.0.0.1:9', 1000);
  const queryOf = (url: string): URLSearchParams => new URL(url).searchParams;

  it('knows its own links and when they end', () => {
    const { url, expires } = links.make('a.mp3');
    expect(url.startsWith('http://127.0.0.1:9/results/a.mp3?')).toBe(true);
    expect(links.expiryOf('a.mp3', queryOf(url))).toBe(expires);
  });

  it('knows no link to another file, with another end, or of another process', () => {
    const query = queryOf(links.make('a.mp3').url);
    expect(links.expiryOf('b.mp3', query)).toBeNull();
    expect(new SignedLinks('http://127.0.0.1:9', 1000).expiryOf('a.mp3', query)).toBeNull();
    query.set('expires', String(Date.now() + 1e9));
    expect(links.expiryOf('a.mp3', query)).toBeNull();
  });
});
